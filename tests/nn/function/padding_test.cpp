// test: moved
// Values are checked against torch in reference/layers_test.cpp.

#include <sinter/nn/function/padding.hpp>
#include <sinter/sinter.hpp>

#include "trace/testing.hpp"

using namespace testing;

TEST_CASE("padding: widths are those of the last axis first, as in torch") {
  const Tensor x = tensor({1, 2, 3, 4}, {1, 2, 2});
  CHECK(to_string(nn::ZeroPad2d({1, 2, 3, 4})(x)) == "f32[1, 9, 5]");
  CHECK(near(nn::ZeroPad1d({1, 0})(tensor({1, 2}, {1, 2})), {0, 1, 2}));
  CHECK(near(nn::ConstantPad1d({0, 2}, 7)(tensor({1, 2}, {1, 2})), {1, 2, 7, 7}));
  CHECK(near(nn::ReflectionPad2d({1, 0, 0, 1})(x), {2, 1, 2, 4, 3, 4, 2, 1, 2}));
  CHECK(near(nn::ReplicationPad1d(1)(tensor({1, 2}, {1, 2})), {1, 1, 2, 2}));
  CHECK(near(nn::CircularPad1d({2, 1})(tensor({1, 2, 3}, {1, 3})), {2, 3, 1, 2, 3, 1}));
  CHECK(near(nn::ZeroPad1d({-1, 1})(tensor({1, 2}, {1, 2})), {2, 0}));
}

TEST_CASE("padding: one recording serves all sizes") {
  const auto compiled = compile(nn::ReflectionPad1d(2), {.fullgraph = true});
  for (const int size : {5, 9, 4}) {
    Tensor x = sin(counting({2, 3, size}));
    mark_dynamic(x, 2, {.min = 3, .max = 100});
    CHECK(alike(compiled(x), nn::ReflectionPad1d(2)(x)));
  }
  CHECK(compiled.stats().recordings == 1);
}

TEST_CASE("padding: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(ShapeError, nn::ZeroPad2d(1)(ones({4, 4})), "pad: ", "f32[4, 4]");
  MISTAKE(ShapeError, nn::ZeroPad2d({1, 2, 3})(ones({1, 4, 4})), "not two widths", "one number");
  MISTAKE(ShapeError, nn::ReflectionPad1d(4)(ones({1, 4})), "pad: ", "below the extent");
}
