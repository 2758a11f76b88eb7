#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/helpers.hpp>

#include "operations.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("helpers: C++ has helpers of tables, and families that are written from their names") {
  const Source source{Language::cpp, "", "exp_f32x16 fold_8_f32x16 multiply_6x4_f32x16", {}};
  const std::string text = codegen::cpp_helpers().prelude({&source, 1});
  CHECK(contains(text, "f32x16 exp_f32x16("));
  CHECK(contains(text, "f32x16 fold_8_f32x16("));
  CHECK(contains(text, "void multiply_6x4_f32x16("));
  CHECK(text == codegen::cpp_prelude({&source, 1}));
}

TEST_CASE("helpers: C++ has one for each function of floating numbers") {
  for (const Op op : operations::floating_functions()) {
    for (const char* const type : {"f32", "f64"}) {
      const std::string name = text(op, "_", type);
      const Source source{Language::cpp, "", name, {}};
      INFO("include/sinter/codegen/cpp/prelude has no helper ", name);
      CHECK(contains(codegen::cpp_helpers().prelude({&source, 1}), " " + name + "("));
    }
  }
}
