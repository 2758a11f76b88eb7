// test: moved
#include "testing.hpp"

#include <sinter/trace/ops/typed/reduce.hpp>

using namespace testing;

namespace {

TensorOf<float, "batch", 3> x = counting({2, 3});
const Shared shared{x};

}  // namespace

TEST_CASE("sum: of a typed tensor has the dimensions that are left") {
  const TensorOf<float> total = sum(x);
  const TensorOf<float, "batch"> rows = sum<1>(x);
  const TensorOf<float, 3> columns = sum<-2>(x * 2);
  const TensorOf<float> both = sum<0, 1>(x);

  CHECK(near(total, {15}));
  CHECK(near(rows, {3, 12}));
  CHECK(near(columns, {6, 10, 14}));
  CHECK(near(both, {15}));
}

TEST_CASE("reductions: of typed tensors have the dtypes that they have at run time") {
  const TensorOf<std::int8_t, 2> bytes = ones({2}, i8);
  const TensorOf<std::int64_t> total = sum(bytes);
  const TensorOf<float> average = mean(bytes);
  const TensorOf<std::int8_t> largest = max(bytes);
  const TensorOf<std::int64_t> product = prod(bytes);

  CHECK(near(total, {2}));
  CHECK(near(average, {1}));
  CHECK(near(largest, {1}));
  CHECK(near(product, {1}));
  CHECK(near(min<0>(x), {0, 1, 2}));
}

TEST_CASE("reductions: each has a typed form with the dimensions that are left") {
  const Tensor untyped = x;
  const TensorOf<float, "batch"> deviations = sinter::std<1>(x), variances = var<-1>(x, 0);
  const TensorOf<float, 3> largest = amax<0>(x), least = amin<0>(x), logs = logsumexp<0>(x);
  const TensorOf<float> length = norm(x), sum_of_sizes = norm(x, 1);
  const TensorOf<std::int64_t, "batch"> first = argmax<1>(x), last = argmin<1>(x);
  const TensorOf<std::int64_t> place = argmax(x), count = count_nonzero(x);
  const TensorOf<bool, 3> some = any<0>(x);
  const TensorOf<float> clean = nansum(x), clean_mean = nanmean(x);

  CHECK(alike(deviations, sinter::std(untyped, 1)));
  CHECK(alike(variances, var(untyped, 1, false, 0)));
  CHECK(near(largest, {3, 4, 5}));
  CHECK(near(least, {0, 1, 2}));
  CHECK(alike(logs, logsumexp(untyped, 0)));
  CHECK(alike(length, norm(untyped)));
  CHECK(near(sum_of_sizes, {15}));
  CHECK(near(first, {2, 2}));
  CHECK(near(last, {0, 0}));
  CHECK(near(place, {5}));
  CHECK(near(count, {5}));
  CHECK(near(some, {1, 1, 1}));
  CHECK(near(clean, {15}));
  CHECK(near(clean_mean, {2.5}));
}

TEST_CASE("reductions: over axes that are numbers at run time are untyped") {
  static_assert(std::is_same_v<decltype(sum(x, 1)), Tensor>);
  CHECK(near(sum(x, 1), {3, 12}));
  CHECK(near(mean(x, {-1}, true), {1, 4}));
}
