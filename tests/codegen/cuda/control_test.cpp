// test: deep
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/control.hpp>
#include <sinter/compile/nvrtc/compiler.hpp>
#include <sinter/compile/nvrtc/linker.hpp>
#include <sinter/device/cuda/nvrtc_table.hpp>

#include "nvrtc_check.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("cuda_control: a kernel in a body has a different name and key") {
  Sizes sizes({5, 3000}, true);
  const Kernel kernel = cumulate("cumsum", sizes, Op::cumsum, f32, VectorAxis::none);
  const Source plain = codegen::emit_cuda(kernel, {});
  const Source inside = codegen::emit_cuda(kernel, {.in_body = true});
  CHECK(plain.name != inside.name);
  CHECK(plain.key != inside.key);
  CHECK(contains(inside.text, "(const unsigned long long* words, long word0"));
  CHECK(in_order(inside.text, "const float* in0 = (const float*)words[word0];",
                 "Context* context = (Context*)words["));
}

TEST_CASE("cuda_control: NVRTC compiles kernels for bodies") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: " << nvrtc_missing());
    return;
  }
  Vector<Source> kernels;
  for (const VectorAxis axis : {VectorAxis::none, VectorAxis::grid}) {
    Sizes sizes({5, 3000}, true);
    const Kernel kernel = cumulate("cumsum", sizes, Op::cumsum, f32, axis);
    kernels.push_back(codegen::emit_cuda(kernel, {.in_body = true}));
  }
  check_no_spills(cuda_program(kernels));
}

TEST_CASE("cuda_control: NVRTC compiles and links the control kernels without spills") {
  const std::string reason =
      nvrtc() == nullptr ? nvrtc_missing() : compiler::device_runtime_missing();
  if (!reason.empty()) {
    MESSAGE("skipped: " << reason);
    return;
  }
  std::string text;
  for (const Source& kernel : codegen::cuda_control_kernels()) text += kernel.text;
  for (const char* const architecture : {"sm_80", "sm_90"}) {
    const compiler::TranslationUnit unit{.language = Language::cuda, .architecture = architecture};
    const compiler::Cubin cubin = compiler::compile_cuda(unit, text, compiler::Resources::listed);
    CHECK(spills(cubin.log) == "");
    for (const Source& kernel : codegen::cuda_control_kernels()) {
      CHECK(contains(cubin.bytes, kernel.name));
    }
  }
}
