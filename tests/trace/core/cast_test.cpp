// test: moved
#include "testing.hpp"

using namespace testing;

TEST_CASE("cast: floating to integer saturates and NaN becomes 0, integers wrap") {
  const Tensor x = vector({1.9f, -1.9f, 1e10f, not_a_number});

  CHECK(cast(x, i8).dtype() == i8);
  CHECK(near(cast(x, i8), {1, -1, 127, 0}));
  CHECK(near(cast(x, u8), {1, 0, 255, 0}));
  CHECK(near(cast(integers({257, -1}), u8), {1, 255}));
}

TEST_CASE("cast: to boolean asks whether an element is not 0") {
  CHECK(near(cast(vector({0, -0.0f, 0.5f, not_a_number}), boolean), {0, 0, 1, 1}));
}

TEST_CASE("cast: to the dtype that a tensor has gives the same value") {
  const Tensor x = ones({2});
  CHECK(cast(x, f32).lazy() == x.lazy());
  CHECK(near(x.to(f16), {1, 1}));
}

TEST_CASE("cast: 16 bits round to even") {
  CHECK(near(cast(vector({2049, 2051}), f16), {2048, 2052}));
  CHECK(near(cast(vector({257, 259}), bf16), {256, 260}));
}

TEST_CASE("cast: mistakes name the line of the caller") {
  MISTAKE(ValueError, cast(Tensor(), f32), "the tensor is undefined");
  MISTAKE(ValueError, Tensor().to(f32), "the tensor is undefined");
}
