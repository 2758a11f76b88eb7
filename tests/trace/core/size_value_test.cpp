// test: moved
#include "testing.hpp"

#include <sinter/trace/context/mark_dynamic.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/core/size_value.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

using namespace testing;

TEST_CASE("size_value: a size is an integer next to tensors, and a number of the program") {
  const Tensor x = counting({4});
  CHECK(near(sum(x) / x.size(0), {1.5}));
  CHECK((sum(x) / x.size(0)).dtype() == f32);
  CHECK((integers({1, 2}) * x.size(0)).dtype() == i64);
  CHECK(near(x - x.size(0), {-4, -3, -2, -1}));
  CHECK(near(sqrt(x.size(0)), {2}));
  CHECK(near(size_value(x.size(0), f64, Where::current()), {4}));
}

TEST_CASE(
    "size_value: sizes are compared with sizes and numbers at once, with tensors by element") {
  const Tensor x = counting({4});
  const Extent n = x.size(0);
  static_assert(std::is_same_v<decltype(n == 4), bool>);
  static_assert(std::is_same_v<decltype(n < n), bool>);
  static_assert(std::is_same_v<decltype(3 >= n), bool>);
  CHECK(n == 4);
  CHECK(3 < n);
  CHECK(near(arange(6) < n, {1, 1, 1, 1, 0, 0}));
  CHECK(near(n == arange(6), {0, 0, 0, 0, 1, 0}));
  CHECK(near(x != n - 1, {1, 1, 1, 0}));
  CHECK(near(Scalar(2.0f) >= n, {0}));
}

TEST_CASE("size_value: a Scalar holds a size") {
  const Scalar rows = ones({3, 2}).size(0);
  CHECK(rows.dtype() == i64);
  CHECK(rows.item<int>() == 3);
  CHECK(near(ones({2}) / rows, {1.0 / 3, 1.0 / 3}));
}

TEST_CASE("size_value: positions count up to a size") {
  const Extent n = ones({5}).size(0);
  CHECK(near(arange(2, n), {2, 3, 4}));
  CHECK(near(arange(0, n - 3), {0, 1}));
  CHECK(arange(7, n).size(0) == 0);
  CHECK(near(arange(n - 2, n), {3, 4}));
}

TEST_CASE("size_value: in a recording the value is computed from the symbol") {
  Recorder recorder;
  const RecorderScope scope(&recorder);
  const Extent n = recorder.symbol({}, 8, Freedom::marked, "n");
  CHECK(size_value(n, f32, Where::current()).type().shape.size() == 0);
  CHECK(Operand(n).type().weak);
  CHECK_FALSE(Operand(n).is_number());
  CHECK(Operand(Extent(3)).is_number());
  CHECK(recorder.assumptions().empty());
}
