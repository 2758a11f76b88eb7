// test: deep emulator gpu
#include <doctest/doctest.h>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/error.hpp>
#include <sinter/compile/nvrtc/compiler.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/device/cuda/submission.hpp>
#include <sinter/runtime/cuda/modules.hpp>

#include <cstring>

#include "cuda_emulator/gpus.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

SharedPtr<const compiler::Binary> binary_of(const std::string& text) {
  compiler::TranslationUnit unit;
  unit.language = Language::cuda;
  unit.architecture = cuda_architecture(cuda());
  return compiler::Binary::load(Language::cuda, compiler::compile_cuda(unit, text).bytes);
}

}  // namespace

TEST_CASE("cuda_modules: a binary is loaded once by each GPU") {
  SINTER_GPUS(machine, 2);
  const auto binary = binary_of(
      "extern \"C\" __global__ void first(long n) {}\n"
      "extern \"C\" __global__ void second(long n) {}\n");
  CudaContext& context = CudaContext::of(cuda());
  const auto first = runtime::load_function(context, binary, "first", {});
  CHECK(runtime::load_function(context, binary, "second", {}) != first);
  CHECK(context.state<runtime::CudaModules>().loaded.size() == 1);
  CudaContext& other = CudaContext::of(cuda(1));
  runtime::load_function(other, binary, "first", {});
  CHECK(other.state<runtime::CudaModules>().loaded.size() == 1);
  CudaContext::of(cuda());
  CHECK_THROWS_AS(runtime::load_function(context, binary, "third", {}), DeviceError);
}

TEST_CASE("cuda_modules: unowned modules are unloaded when another binary is loaded" *
          doctest::test_suite("host: the emulator compiles its modules")) {
  emulator::Emulator machine;
  const auto text_of = [](int number) {
    return text("extern \"C\" __global__ void f(float* x) { *x = ", number, "; }\n");
  };
  CudaContext& context = CudaContext::of(cuda());
  const auto& loaded = context.state<runtime::CudaModules>().loaded;
  const Storage x = Storage::allocate(4, cuda());
  auto kept = binary_of(text_of(0));
  runtime::load_function(context, kept, "f", {});
  for (int i = 1; i < 5; ++i) {
    const auto binary = binary_of(text_of(i));
    const auto function = runtime::load_function(context, binary, "f", {});
    CHECK(machine.held().modules == 2);
    CHECK(loaded.size() == 2);
    CHECK(loaded.count(kept.get()) == 1);
    // The emulator reports a launch in flight whose module is unloaded.
    CudaSubmission work(cuda(), {});
    work.writes(x);
    void* address = x.data();
    void* arguments[]{&address};
    work.check(work.driver().launch(function, 1, 1, 1, 1, 1, 1, 0, work.stream().handle, arguments,
                                    nullptr),
               "cuLaunchKernel");
  }
  float found = 0;
  std::memcpy(&found, copied_to(x, cpu()).data(), sizeof(found));
  CHECK(found == 4);
  CHECK(machine.reports().empty());
}
