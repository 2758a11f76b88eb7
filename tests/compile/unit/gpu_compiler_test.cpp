#include <doctest/doctest.h>

#include <string>

#include <sinter/compile/nvrtc/compiler.hpp>
#include <sinter/compile/unit/gpu_compiler.hpp>
#include <sinter/compile/unit/translation_unit.hpp>

using namespace sinter;
using namespace sinter::detail::compiler;

TEST_CASE("gpu_compiler: it is NVRTC in a program that includes sinter.hpp") {
  CHECK(&gpu_compiler() == &nvrtc_compiler());
  CHECK(gpu_compiler().identity() == nvrtc_identity());
}

TEST_CASE("gpu_compiler: another one may take its place") {
  struct Echo final : GpuCompiler {
    std::string identity() const override { return "echo 1"; }
    std::string compile(const TranslationUnit& unit, std::string_view text) const override {
      return unit.architecture + ": " + std::string(text);
    }
  };
  static const Echo echo;
  set_gpu_compiler(echo);
  CHECK(gpu_compiler().identity() == "echo 1");
  CHECK(gpu_compiler().compile({.architecture = "sm_90"}, "text") == "sm_90: text");
  set_gpu_compiler(nvrtc_compiler());
}
