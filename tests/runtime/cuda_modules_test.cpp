#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/compile/nvrtc_compiler.hpp>
#include <sinter/runtime/cuda_modules.hpp>

#include "cuda_emulator/gpus.hpp"

using namespace sinter;

namespace {

std::shared_ptr<const compiler::Binary> binary_of(const std::string& text) {
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
  CHECK(context.part<runtime::CudaModules>().loaded.size() == 1);
  CudaContext& other = CudaContext::of(cuda(1));
  runtime::load_function(other, binary, "first", {});
  CHECK(other.part<runtime::CudaModules>().loaded.size() == 1);
  CudaContext::of(cuda());
  CHECK_THROWS_AS(runtime::load_function(context, binary, "third", {}), DeviceError);
}
