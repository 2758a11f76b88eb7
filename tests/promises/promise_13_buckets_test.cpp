// test: moved
// Promise 13: sizes in buckets, sizes that are prepared without data, sizes as numbers of tensors.

#include <doctest/doctest.h>

#include "promises/promises.hpp"

using namespace testing;

namespace {

const auto program = [](const Tensor& x) { return softmax(x, -1) * 2.0f + mean(x, {0}); };

}  // namespace

TEST_CASE("promise 2.13: buckets are as many recordings as buckets that occur") {
  const auto f = compile([](const Tensor& x) {
    const Tensor padded = bucket(x, 0, {32, 64, 128});
    return sum(padded * 2.0f);
  });
  for (const int size : {5, 31, 32, 33, 60, 64, 7, 40}) {
    CHECK(is(f(ones({size})), 2 * size));
  }
  CHECK(f.stats().variants == 2);
}

TEST_CASE("promise 2.13: prepare compiles without data") {
  auto f = compile(program);
  f.prepare(TensorSpec{{5, 6}, f32});
  const std::int64_t runs = f.stats().compiler_runs;
  CHECK(f.stats().calls == 0);
  const Tensor x = randn({5, 6});
  CHECK(near_tensor(f(x), program(x)));
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().compiler_runs == runs);
}

TEST_CASE("promise 2.10: a force inside of prepare throws") {
  auto f = compile([](const Tensor& x) { return sum(x) > 0.0f ? x : -x; });
  const TensorSpec spec{{4}, f32};
  CHECK_THROWS_AS(f.prepare(spec), GraphBreakError);
  CHECK(is(f(full({4}, -1.0f)), 1));
}
