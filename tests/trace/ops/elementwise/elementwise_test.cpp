#include <sinter/trace/ops/elementwise/elementwise.hpp>

#include "testing.hpp"

using namespace testing;

TEST_CASE("elementwise: one header has the primitives and what is written in them") {
  const Tensor x = vector({-1.5, 0.5, 4});
  CHECK(near(add(x, 1), {-0.5, 1.5, 5}));
  CHECK(near(clamp(x, 0, 1), {0, 0.5, 1}));
  CHECK(near(signbit(x), {1, 0, 0}));
  CHECK(near(trunc(x), {-1, 0, 4}));
  CHECK(near(square(x), {2.25, 0.25, 16}));
}
