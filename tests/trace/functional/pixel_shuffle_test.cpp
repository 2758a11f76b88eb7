// test: moved
// Values are checked against torch in reference/layers_test.cpp.

#include <sinter/sinter.hpp>
#include <sinter/trace/functional/pixel_shuffle.hpp>

#include "trace/testing.hpp"

using namespace testing;

TEST_CASE("pixel_shuffle: moves channels into blocks, pixel_unshuffle back") {
  const Tensor x = counting({1, 4, 1, 2});
  CHECK(to_string(pixel_shuffle(x, 2)) == "f32[1, 1, 2, 4]");
  CHECK(near(pixel_shuffle(x, 2), {0, 2, 1, 3, 4, 6, 5, 7}));
  CHECK(alike(pixel_unshuffle(pixel_shuffle(x, 2), 2), x));
}

TEST_CASE("pixel_shuffle: one recording serves all heights and widths") {
  const auto f = [](const Tensor& x) { return pixel_shuffle(x, 3); };
  const auto compiled = compile(f, {.fullgraph = true});
  for (const int size : {2, 5, 3}) {
    Tensor x = counting({9, size, size + 1});
    mark_dynamic(x, 1), mark_dynamic(x, 2);
    CHECK(alike(compiled(x), f(x)));
  }
  CHECK(compiled.stats().recordings == 1);
}

TEST_CASE("pixel_shuffle: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(ShapeError, pixel_shuffle(ones({1, 6, 2, 2}), 2), "f32[1, 6, 2, 2]", "divisor 4");
  MISTAKE(ShapeError, pixel_unshuffle(ones({1, 6, 3, 2}), 2), "f32[1, 6, 3, 2]", "divisor 2");
  MISTAKE(ShapeError, pixel_shuffle(ones({2, 2}), 2), "no channels");
  MISTAKE(ValueError, pixel_shuffle(ones({4, 2, 2}), 0), "factor >= 1");
}
