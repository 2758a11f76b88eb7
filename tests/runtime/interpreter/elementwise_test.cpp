// test: moved
#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/runtime/interpreter/elementwise.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "arrays.hpp"
#include "arrays_on_gpu.hpp"
#include "elementwise_reference.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::runtime;
using namespace arrays;
using namespace elementwise_reference;

namespace {

const Where here = Where::current();

Array run(Op op, Vector<Array> operands, DType dtype) {
  const Array result = interpreter::elementwise(op, operands, dtype, here);
  note(operands, result, [&](Builder& build, const Vector<Value>& x) {
    if (op == Op::cast) return build.cast(x[0], dtype);
    if (op == Op::select) return build.select(x[0], x[1], x[2]);
    return x.size() == 1 ? build.elementwise(op, {x[0]}) : build.elementwise(op, {x[0], x[1]});
  });
  return result;
}

// 0 and -0 are equal to minimum and maximum: either is right.
template <class T>
bool agree(Op op, T found, T wanted) {
  if (same_bits<T>(found, wanted)) return true;
  if ((op != Op::minimum && op != Op::maximum) || !floating<T>) return false;
  return static_cast<double>(found) == 0 && static_cast<double>(wanted) == 0;
}

// Every pair of edge values, except divisions by zero.
template <class T>
void edge_pairs(Op op, std::vector<T>& x, std::vector<T>& y) {
  const bool divides = (op == Op::floor_divide || op == Op::remainder) && !floating<T>;
  for (const T a : edge_values<T>()) {
    for (const T b : edge_values<T>()) {
      if (divides && b == T(0)) continue;
      x.push_back(a);
      y.push_back(b);
    }
  }
}

}  // namespace

TEST_CASE(
    "elementwise: every operation and dtype agrees with a plain loop, for edge values and "
    "layouts") {
  for (std::size_t i = 0; i < op_count; ++i) {
    const Op op = static_cast<Op>(i);
    const OpInfo& row = info(op);
    if (row.kind != OpKind::elementwise || op == Op::cast || op == Op::select) continue;
    if (op == Op::custom_elementwise) continue;  // of a text
    for_each_dtype([&]<class T>(T) {
      if (!takes(row.takes, dtype_of<T>)) return;
      if (op == Op::floor_divide && floating<T>) return;  // has its own test case
      std::vector<T> x, y;
      edge_pairs(op, x, y);
      const Sizes shape{1, static_cast<std::int64_t>(x.size()), 1};
      const auto xs = layouts<T>(array_of(x, shape)), ys = layouts<T>(array_of(y, shape));
      for (std::size_t layout = 0; layout < xs.size(); ++layout) {
        INFO(row.name << " " << info(dtype_of<T>).name << " layout " << layout);
        Vector<Array> operands{xs[layout]};
        if (row.arity == 2) operands.push_back(ys[(layout + 1) % ys.size()]);
        const bool compares = row.gives == Gives::boolean;
        const Array result = run(op, operands, compares ? boolean : dtype_of<T>);
        REQUIRE(result.shape == shape);
        std::size_t wrong = x.size();
        for (std::size_t k = 0; k < x.size(); ++k) {
          const Sizes at{0, static_cast<std::int64_t>(k), 0};
          const bool right =
              compares ? element<bool>(result, at) == expected_comparison<T>(op, x[k], y[k])
                       : agree<T>(op, element<T>(result, at), expected<T>(op, x[k], y[k]));
          if (!right && wrong == x.size()) wrong = k;
        }
        const std::size_t shown = std::min(wrong, x.size() - 1);
        INFO(static_cast<double>(x[shown]) << ", " << static_cast<double>(y[shown]));
        CHECK(wrong == x.size());
      }
    });
  }
}

TEST_CASE("elementwise: floor_divide of floating dtypes rounds the exact quotient down") {
  const auto check = []<class T>(T x, T y, double quotient) {
    INFO(static_cast<double>(x) << " // " << static_cast<double>(y));
    const Array result =
        run(Op::floor_divide, {array_of<T>({x}, {}), array_of<T>({y}, {})}, dtype_of<T>);
    CHECK(same_bits<double>(static_cast<double>(element<T>(result, {})), quotient));
  };
  for_each_dtype([&]<class T>(T) {
    if constexpr (floating<T>) {
      const T inf = T(INFINITY), nan = T(NAN);
      check(T(7.0f), T(2.0f), 3.0);
      check(T(-7.0f), T(2.0f), -4.0);
      check(T(7.0f), T(-2.0f), -4.0);
      check(T(-7.0f), T(-2.0f), 3.0);
      check(T(6.0f), T(2.0f), 3.0);
      check(T(0.5f), T(2.0f), 0.0);
      check(T(-0.5f), T(2.0f), -1.0);
      check(T(0.0f), T(-2.0f), -0.0);
      check(T(1.0f), T(0.0f), INFINITY);
      check(T(-1.0f), T(0.0f), -INFINITY);
      check(T(0.0f), T(0.0f), NAN);
      check(T(5.0f), inf, 0.0);
      check(T(-5.0f), inf, -1.0);
      check(inf, T(2.0f), NAN);
      check(nan, T(2.0f), NAN);
      check(T(2.0f), nan, NAN);
    }
  });
  check(1.0, 0.1, 9.0);  // the nearest double to 0.1 is larger than it
  check(1e15, 3.0, 333333333333333.0);
}

TEST_CASE("elementwise: remainder and floor_divide are consistent") {
  std::vector<std::int32_t> x, y;
  edge_pairs(Op::remainder, x, y);
  const Sizes shape{static_cast<std::int64_t>(x.size())};
  const Vector<Array> operands{array_of(x, shape), array_of(y, shape)};
  const auto quotient = elements<std::int32_t>(run(Op::floor_divide, operands, i32));
  const auto rest = elements<std::int32_t>(run(Op::remainder, operands, i32));
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(static_cast<std::uint32_t>(quotient[i]) * static_cast<std::uint32_t>(y[i]) +
              static_cast<std::uint32_t>(rest[i]) ==
          static_cast<std::uint32_t>(x[i]));
    CHECK(((rest[i] == 0 || (rest[i] < 0) == (y[i] < 0))));
  }
}

TEST_CASE("elementwise: an integer division by zero throws with the line, the rest does not") {
  for (const Op op : {Op::floor_divide, Op::remainder}) {
    for_each_dtype([&]<class T>(T) {
      if (!takes(Takes::numbers, dtype_of<T>)) return;
      std::vector<T> divisors(1000, T(1));
      divisors[777] = T(0);
      const Vector<Array> operands{array_of(divisors, {1000}), array_of(divisors, {1000})};
      if (floating<T>) {
        CHECK_NOTHROW(run(op, operands, dtype_of<T>));
        return;
      }
      std::string message;
      try {
        run(op, operands, dtype_of<T>);
      } catch (const ValueError& error) {
        message = error.what();
      }
      CHECK(message == text(op, ": integer division by zero\n",
                            "  rhs   0 at the row-major position 777, dtype ", dtype_of<T>, "\n",
                            "  rule  rhs != 0\n",
                            "  fix   divide by where(rhs == 0, 1, rhs), or by a floating dtype\n",
                            "  at    ", to_string(here)));
    });
  }
}

TEST_CASE("elementwise: cast converts every dtype to every other like constants") {
  for_each_dtype([&]<class From>(From) {
    const auto values = edge_values<From>();
    const Sizes shape{static_cast<std::int64_t>(values.size())};
    for (const Array& x : layouts<From>(array_of(values, shape))) {
      for_each_dtype([&]<class To>(To) {
        const Array result = run(Op::cast, {x}, dtype_of<To>);
        REQUIRE(result.dtype == dtype_of<To>);
        std::vector<To> wanted;
        for (const From value : values) wanted.push_back(convert_element<To>(value));
        INFO(info(dtype_of<From>).name << " to " << info(dtype_of<To>).name);
        CHECK(difference(elements<To>(result), wanted) == -1);
      });
    }
  });
}

TEST_CASE("elementwise: cast of floating numbers to integers saturates, and takes NaN to 0") {
  const Array x = array_of<float>({-1e30f, -129.0f, 127.9f, 300.0f, INFINITY, NAN}, {6});
  CHECK(elements<std::int8_t>(run(Op::cast, {x}, i8)) ==
        std::vector<std::int8_t>{-128, -128, 127, 127, 127, 0});
  CHECK(elements<std::uint8_t>(run(Op::cast, {x}, u8)) ==
        std::vector<std::uint8_t>{0, 0, 127, 255, 255, 0});
}

TEST_CASE("elementwise: select copies elements unchanged, of every dtype") {
  for_each_dtype([&]<class T>(T) {
    const auto x = edge_values<T>();
    std::vector<T> y(x.rbegin(), x.rend()), wanted;
    Vector<bool> holds;
    Array condition = array_of<bool>({}, {0});
    const Sizes shape{static_cast<std::int64_t>(x.size())};
    condition = interpreter::make_dense(boolean, shape, here);
    for (std::size_t i = 0; i < x.size(); ++i) {
      element<bool>(condition, {static_cast<std::int64_t>(i)}) = i % 3 == 0;
      wanted.push_back(i % 3 == 0 ? x[i] : y[i]);
    }
    const auto conditions = layouts<bool>(condition);
    const auto xs = layouts<T>(array_of(x, shape)), ys = layouts<T>(array_of(y, shape));
    for (std::size_t layout = 0; layout < 4; ++layout) {
      const Array result =
          run(Op::select, {conditions[layout], xs[(layout + 1) % 4], ys[(layout + 2) % 4]},
              dtype_of<T>);
      CHECK(difference(elements<T>(result), wanted) == -1);
    }
  });
}

TEST_CASE("elementwise: sizes around the chunk size, empty, and broadcast operands") {
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, interpreter::chunk - 1,
                                  interpreter::chunk, interpreter::chunk + 1, std::int64_t{5000}}) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < size; ++i) values.push_back(static_cast<float>(i));
    Array one = array_of<float>({0.5f}, {1});
    one.shape = {size};
    one.strides = {0};
    const auto sum = elements<float>(run(Op::add, {array_of(values, {size}), one}, f32));
    for (float& value : values) value += 0.5f;
    CHECK(sum == values);
  }
}

TEST_CASE("elementwise: a broadcast row") {
  Array row = array_of<std::int64_t>({1, 2, 3}, {1, 3});
  row.shape = {1000, 3};
  row.strides = {0, 1};
  const auto doubled = elements<std::int64_t>(run(Op::add, {row, row}, i64));
  REQUIRE(doubled.size() == 3000);
  for (std::size_t i = 0; i < doubled.size(); ++i) {
    if (doubled[i] != 2 * static_cast<std::int64_t>(i % 3 + 1)) FAIL("at " << i);
  }
}
