// test: deep
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/prelude/arithmetic.hpp>

#include "nvrtc_check.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("cuda_arithmetic: NVRTC compiles every helper for every type") {
  check_helpers(codegen::detail::cuda_arithmetic_helpers, {1, 2, 4});
}

TEST_CASE("cuda_arithmetic: every operation that has a helper in C++ has one in CUDA") {
  for (const char* name : {"exp", "log", "sin", "cos", "tanh", "erf", "sqrt", "floor", "pow"}) {
    for (const char* type : {"f32", "f64"}) {
      const Source source{Language::cuda, "", text(name, "_", type), {}};
      CHECK(contains(codegen::cuda_prelude({&source, 1}), text(name, "_", type, "(")));
    }
  }
}
