// test: moved
#include "testing.hpp"

#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/typed/tensor.hpp>

using namespace testing;

namespace {

TensorOf<float, 3> x = vector({1, 2, 3}), y = vector({3, 2, 1});
TensorOf<std::int64_t, 2> n = integers({12, 10}), m = integers({10, 3});
const Shared shared{x, y, n, m};

}  // namespace

TEST_CASE("typed operators: give what the untyped ones give") {
  CHECK(near(x + y, {4, 4, 4}));
  CHECK(near(x - y, {-2, 0, 2}));
  CHECK(near(x * y, {3, 4, 3}));
  CHECK(near(x / y, {1.0 / 3, 1, 3}));
  CHECK(near(n % m, {2, 1}));
  CHECK(near(-x, {-1, -2, -3}));
  CHECK(near(n & m, {8, 2}));
  CHECK(near(n | m, {14, 11}));
  CHECK(near(n ^ m, {6, 9}));
  CHECK(near(~n, {-13, -11}));
  CHECK(near(x == y, {0, 1, 0}));
  CHECK(near(x != y, {1, 0, 1}));
  CHECK(near(x < y, {1, 0, 0}));
  CHECK(near(x <= y, {1, 1, 0}));
  CHECK(near(x > y, {0, 0, 1}));
  CHECK(near(x >= y, {0, 1, 1}));
}

TEST_CASE("typed operators: take numbers on either side") {
  CHECK(near(x + 1, {2, 3, 4}));
  CHECK(near(1 - x, {0, -1, -2}));
  CHECK(near(2.0 * x, {2, 4, 6}));
  CHECK(near(6 / x, {6, 3, 2}));
  CHECK(near(7 % x, {0, 1, 1}));
  CHECK(near(2 < x, {0, 0, 1}));
  CHECK(near(2 <= x, {0, 1, 1}));
  CHECK(near(2 > x, {1, 0, 0}));
  CHECK(near(2 >= x, {1, 1, 0}));
  CHECK(near(x == 2, {0, 1, 0}));
  CHECK(near(2 != x, {1, 0, 1}));
  CHECK(near(n & 8, {8, 8}));
}

TEST_CASE("typed operators: take expressions on either side") {
  const auto sum = x + y;
  CHECK(near(sum * sum, {16, 16, 16}));
  CHECK(near(x - sum, {-3, -2, -1}));
  CHECK(near(sum - x, {3, 2, 1}));
  CHECK(near(-sum, {-4, -4, -4}));
  CHECK(near((x < y) == (x <= y), {1, 0, 1}));
}

TEST_CASE("TensorOf: another dtype is another type, a part is untyped") {
  const TensorOf<float, "batch", 4> rows = counting({3, 4});
  const TensorOf<double, "batch", 4> wide = rows.to<f64>();
  CHECK(alike(wide, rows));
  static_assert(std::is_same_v<decltype(rows.to(f64)), Tensor>);
  CHECK(near(rows[1], {4, 5, 6, 7}));
  CHECK(near(rows[{all, -1}], {3, 7, 11}));
}
