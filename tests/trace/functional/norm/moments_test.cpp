// The steps of norms over channels.
#include "testing.hpp"

#include <sinter/trace/functional/norm/moments.hpp>
#include <sinter/trace/ops/creation/create.hpp>

using namespace testing;

TEST_CASE("moments: a value for each channel broadcasts with the input, in f32") {
  const Tensor column = detail::as_column(vector({1, 2}), full({3, 2, 4}, 0.5, f16));
  CHECK(column.ndim() == 2);
  CHECK(column.dtype() == f32);
  CHECK(detail::count_of({3, 2, 4}, {0, 2}) == Extent(12));
}

TEST_CASE("moments: standardized, scaled and shifted") {
  const Tensor x = tensor({1, 3, 5, 9}, {2, 2});
  const detail::Moments moments{vector({3, 6}), vector({4, 9})};
  const Tensor normal = detail::standardized(x, moments, 0);
  CHECK(near(normal, {-1, -1, 1, 1}));
  const Tensor weight = vector({2, 3}), bias = vector({10, 20});
  CHECK(near(detail::scaled_channels(normal, x, weight, bias, "op"), {8, 17, 12, 23}));
}

TEST_CASE("moments: a running statistic moves by the momentum") {
  Tensor running = vector({1, 2});
  detail::move_towards(running, vector({3, 2}), 0.25, Where::current());
  CHECK(near(running, {1.5, 2}));
}
