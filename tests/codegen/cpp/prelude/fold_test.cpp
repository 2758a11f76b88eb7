#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/fold.hpp>

#include "texts.hpp"

using namespace kernels;
using codegen::fold_all_lanes;
using codegen::fold_lanes;
using codegen::parse_vector_type;

TEST_CASE("cpp_fold: halves of groups of lanes are added, for two vectors at once") {
  CHECK(fold_lanes("fold_8", parse_vector_type("f32x8")) ==
        "INLINE f32x8 fold_8_f32x8(f32x8 x, f32x8 y) {\n"
        "  return __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11)\n"
        "      + __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15);\n}");
  CHECK(contains(fold_lanes("fold_4", parse_vector_type("f64x8")), "0, 1, 4, 5, 8, 9, 12, 13)"));
  CHECK(contains(fold_lanes("fold_2", parse_vector_type("f32x4")), "(x, y, 1, 3, 5, 7);"));
}

TEST_CASE("cpp_fold: other names give no helper") {
  for (const std::string name : {"fold", "fold_", "fold_1", "fold_16", "fold_x", "load"}) {
    CHECK(fold_lanes(name, parse_vector_type("f32x8")).empty());
  }
}

TEST_CASE("cpp_fold: the lane sums of many vectors are stored in as few vectors as possible") {
  const auto six = fold_all_lanes({"a", "b", "c", "d", "e", "f"}, 4, "s", "  ");
  CHECK(six.vectors == std::vector<std::string>{"s2_0", "s2_1"});
  CHECK(six.lines ==
        "  const $T s4_0 = fold_4_$S(a, b);\n  const $T s4_1 = fold_4_$S(c, d);\n"
        "  const $T s4_2 = fold_4_$S(e, f);\n  const $T s2_0 = fold_2_$S(s4_0, s4_1);\n"
        "  const $T s2_1 = fold_2_$S(s4_2, s4_2);\n");
  CHECK(fold_all_lanes({"a", "b"}, 1, "s", "").vectors == std::vector<std::string>{"a", "b"});
}
