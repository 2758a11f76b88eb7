#include <doctest/doctest.h>

#include <string>

#include <sinter/base/error.hpp>
#include <sinter/compile/nvrtc/compiler.hpp>
#include <sinter/compile/nvrtc/linker.hpp>
#include <sinter/device/cuda/nvjitlink.hpp>
#include <sinter/device/cuda/nvrtc_table.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::compiler;

namespace {

const std::string deciding =
    "extern \"C\" __device__ void cudaGraphSetConditional(unsigned long long, unsigned);\n"
    "extern \"C\" __global__ void decide(unsigned long long condition, const int* x) {\n"
    "  cudaGraphSetConditional(condition, *x > 0);\n"
    "}\n";

TranslationUnit unit_for(const std::string& architecture) {
  return {.language = Language::cuda, .architecture = architecture};
}

bool skipped() {
  const std::string reason = nvrtc() == nullptr ? nvrtc_missing() : device_runtime_missing();
  if (!reason.empty()) MESSAGE("skipped: " << reason);
  return !reason.empty();
}

std::string message_of(const NvJitLink& table) {
  const NvJitLink* const before = replace_nvjitlink(&table);
  std::string result;
  try {
    link_cuda("sm_90", "something");
  } catch (const DeviceError& error) {
    result = error.what();
  }
  replace_nvjitlink(before);
  return result;
}

}  // namespace

TEST_CASE(
    "cuda_linker: what sets conditions is linked for each architecture, what does not is not") {
  CHECK(needs_device_runtime(deciding));
  CHECK_FALSE(needs_device_runtime("extern \"C\" __global__ void f() {}"));
  if (skipped()) return;
  for (const char* const architecture : {"sm_80", "sm_90"}) {
    const Cubin cubin = compile_cuda(unit_for(architecture), deciding, Resources::listed);
    CHECK(cubin.bytes.substr(1, 3) == "ELF");
    CHECK(cubin.bytes.find("decide") != std::string::npos);
    CHECK(cubin.bytes.size() > 50'000);  // the functions of CUDA are in it
    CHECK(cubin.log.find("0 bytes spill stores") != std::string::npos);
  }
}

TEST_CASE("cuda_linker: an invalid cubin is refused, with the log of the linker") {
  if (skipped()) return;
  CHECK_THROWS_AS(link_cuda("sm_90", "no cubin"), DeviceError);
  CHECK_THROWS_AS(link_cuda("sm_99999", "no cubin"), DeviceError);
}

TEST_CASE("cuda_linker: a linker that fails is a DeviceError with its log") {
  NvJitLink table{};
  table.create = [](NvJitLink::Linker* linker, unsigned, const char**) {
    static int instance = 0;
    return *linker = &instance, 0;
  };
  table.destroy = [](NvJitLink::Linker*) { return 0; };
  table.add_data = [](NvJitLink::Linker, int, const void*, std::size_t, const char*) { return 9; };
  table.log_size = [](NvJitLink::Linker, std::size_t* bytes) { return *bytes = 4, 0; };
  table.log = [](NvJitLink::Linker, char* to) { return to[0] = 'w', to[1] = 'h', to[2] = 'y', 0; };
  const std::string message = message_of(table);
  CHECK(message.find("cannot link the output of NVRTC") != std::string::npos);
  CHECK(message.find("why") != std::string::npos);
  CHECK(message.find("CUDA_HOME") != std::string::npos);
}
