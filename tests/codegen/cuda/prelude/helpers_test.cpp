#include <doctest/doctest.h>
#include <sinter/codegen/cuda/prelude/helpers.hpp>

#include "operations.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("helpers: CUDA has its own, and none of the families of C++") {
  const Source source{Language::cuda, "", "f32x4 row_sum_f32 fold_8_f32x16", {}};
  const std::string text = codegen::cuda_helpers().prelude({&source, 1});
  CHECK(contains(text, "struct __align__(16) f32x4"));
  CHECK(contains(text, " row_sum_f32("));
  CHECK_FALSE(contains(text, "__builtin_shufflevector"));
  CHECK(text == codegen::cuda_prelude({&source, 1}));
}

TEST_CASE("helpers: CUDA has one for each function of floating numbers") {
  for (const Op op : operations::floating_functions()) {
    for (const char* const type : {"f32", "f64"}) {
      const std::string name = text(op, "_", type);
      const Source source{Language::cuda, "", name, {}};
      INFO("include/sinter/codegen/cuda/prelude has no helper ", name);
      CHECK(contains(codegen::cuda_helpers().prelude({&source, 1}), " " + name + "("));
    }
  }
}
