#include <doctest/doctest.h>

#include <string>

#include <fcntl.h>
#include <unistd.h>

#include <sinter/base/error.hpp>
#include <sinter/compile/nvrtc/compiler.hpp>
#include <sinter/compile/unit/temporary_file.hpp>
#include <sinter/device/cuda/nvrtc_table.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::compiler;

namespace {

const std::string axpy =
    "extern \"C\" __global__ void axpy(const float* x, float* y, float a, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n";

TranslationUnit unit_for(const std::string& architecture) {
  return {.language = Language::cuda, .architecture = architecture};
}

bool skipped() {
  if (nvrtc() == nullptr) MESSAGE("skipped: " << nvrtc_missing());
  return nvrtc() == nullptr;
}

}  // namespace

TEST_CASE("nvrtc_compiler: a kernel becomes a cubin for each architecture") {
  if (skipped()) return;
  for (const char* const architecture : {"sm_80", "sm_90"}) {
    const Cubin cubin = compile_cuda(unit_for(architecture), axpy, Resources::listed);

    CHECK(cubin.bytes.substr(1, 3) == "ELF");
    CHECK(cubin.bytes.find("axpy") != std::string::npos);
    CHECK(cubin.log.find(architecture) != std::string::npos);
    CHECK(cubin.log.find("0 bytes spill stores") != std::string::npos);
  }
  CHECK(compile_cuda(unit_for("sm_80"), axpy).bytes != compile_cuda(unit_for("sm_90"), axpy).bytes);
  CHECK(compile_cuda(unit_for("sm_90"), axpy).log == "");
}

TEST_CASE("nvrtc_compiler: a GPU that NVRTC does not know is a DeviceError that names both") {
  if (skipped()) return;
  std::string message;
  try {
    compile_cuda(unit_for("sm_999"), axpy);
  } catch (const DeviceError& error) {
    message = error.what();
  }
  CHECK(message.find("does not know the GPU") != std::string::npos);
  CHECK(message.find(nvrtc_identity()) != std::string::npos);
  CHECK(message.find("gpu   sm_999") != std::string::npos);
}

TEST_CASE("nvrtc_compiler: strict numerics round a product") {
  if (skipped()) return;
  TranslationUnit strict = unit_for("sm_90");
  strict.contraction = Contraction::off;

  CHECK(compile_cuda(strict, axpy).bytes != compile_cuda(unit_for("sm_90"), axpy).bytes);
}

TEST_CASE("nvrtc_compiler: text that does not compile is an InternalError with log and text") {
  if (skipped()) return;
  std::string message;
  try {
    compile_cuda(unit_for("sm_90"), "__global__ void f() { not_declared(); }");
  } catch (const InternalError& error) {
    message = error.what();
  }
  CHECK(message.find("not_declared") != std::string::npos);
  CHECK(message.find("for   sm_90") != std::string::npos);
  const auto start = message.find("text  ") + 6;
  const std::string path = message.substr(start, message.find('\n', start) - start);
  CHECK(read_all(File(open(path.c_str(), O_RDONLY | O_CLOEXEC))) ==
        "__global__ void f() { not_declared(); }");
  unlink(path.c_str());
  rmdir(path.substr(0, path.rfind('/')).c_str());
}

TEST_CASE("nvrtc_compiler: the identity is the version, or nothing") {
  CHECK(nvrtc_identity().empty() == (nvrtc() == nullptr));
  if (nvrtc() != nullptr) CHECK(nvrtc_identity().rfind("nvrtc 1", 0) == 0);
}
