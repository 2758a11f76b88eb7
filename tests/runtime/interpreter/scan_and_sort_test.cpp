// test: moved
#include <doctest/doctest.h>
#include <sinter/runtime/interpreter/scan_and_sort.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "arrays.hpp"
#include "arrays_on_gpu.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::runtime;
using namespace arrays;

namespace {

const Where here = Where::current();

/// Edge values and small numbers, mixed, in the shape.
template <class T>
Array mixed(const Sizes& shape) {
  const std::vector<T> edges = edge_values<T>();
  std::vector<T> values;
  for (std::int64_t i = 0; i < interpreter::count(shape); ++i) {
    const auto at = static_cast<std::size_t>(i * 7919 % 101);
    values.push_back(at < edges.size() ? edges[at] : convert_element<T>(i * 31 % 7 - 3));
  }
  return array_of(values, shape);
}

/// The elements along `axis` of the row through `position`.
template <class T>
std::vector<T> row_of(const Array& x, Sizes position, std::size_t axis) {
  std::vector<T> result;
  for (std::int64_t i = 0; i < x.shape[axis]; ++i) {
    position[axis] = i;
    result.push_back(element<T>(x, position));
  }
  return result;
}

template <class T>
T total(Op op, const std::vector<T>& row, std::size_t count) {
  if constexpr (floating<T>) {
    double result = op == Op::cumprod ? 1 : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = static_cast<double>(row[i]);
      result = op == Op::cumprod ? result * one : result + one;
    }
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    return static_cast<T>(static_cast<Wide>(result));
  } else {
    std::uint64_t result = op == Op::cumprod ? 1 : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = static_cast<std::uint64_t>(row[i]);
      result = op == Op::cumprod ? result * one : result + one;
    }
    return static_cast<T>(result);
  }
}

template <class T>
bool is_less(T a, T b) {
  if constexpr (floating<T>) {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    return x < y || (std::isnan(y) && !std::isnan(x));
  } else {
    return a < b;
  }
}

// For long rows with edge values, results depend on the order of additions, which only the
// interpreter has.
template <class Write>
void note_short(const Array& x, const Array& result, const Write& write) {
  if (interpreter::count(x.shape) < 100) note({x}, result, write);
}

const Sizes shapes[]{{7}, {1}, {0}, {3, 5}, {2, 4, 3}, {2, 0, 3}, {1, 600, 2}};

}  // namespace

TEST_CASE("cumulate: agrees with a plain loop along each row, for every dtype, axis and layout") {
  for_each_dtype([]<class T>(T) {
    if (std::is_same_v<T, bool>) return;
    for (const Sizes& shape : shapes) {
      for (const Array& x : layouts<T>(mixed<T>(shape))) {
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
          for (const Op op : {Op::cumsum, Op::cumprod}) {
            const Array result =
                interpreter::cumulate(op, x, static_cast<std::int64_t>(axis), here);
            note_short(x, result, [&](Builder& build, const Vector<Value>& y) {
              return build.cumulate(op, y[0], static_cast<std::int64_t>(axis));
            });
            std::vector<T> expected;
            for_each_position(shape, [&](const Sizes& at) {
              const auto row = row_of<T>(x, at, axis);
              expected.push_back(total(op, row, static_cast<std::size_t>(at[axis]) + 1));
            });
            CAPTURE(to_string(x.dtype));
            CHECK(difference(elements<T>(result), expected) == -1);
          }
        }
      }
    }
  });
}

TEST_CASE("cumulate: a row of ten million small numbers keeps its precision") {
  const Sizes shape{10'000'000};
  const Array x = array_of(std::vector<float>(10'000'000, 0.1f), shape);
  const auto sums = elements<float>(interpreter::cumulate(Op::cumsum, x, 0, here));
  CHECK(sums.back() == doctest::Approx(1e6 * (0.1f / 0.1)).epsilon(1e-6));
}

TEST_CASE("argsort: gives the positions of a stable sort, for every dtype, axis and layout") {
  for_each_dtype([]<class T>(T) {
    for (const Sizes& shape : shapes) {
      for (const Array& x : layouts<T>(mixed<T>(shape))) {
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
          for (const bool descending : {false, true}) {
            const Array result =
                interpreter::argsort(x, static_cast<std::int64_t>(axis), descending, here);
            note_short(x, result, [&](Builder& build, const Vector<Value>& y) {
              return build.argsort(y[0], static_cast<std::int64_t>(axis), descending);
            });
            bool sorted = true;
            for_each_position(shape, [&](const Sizes& at) {
              if (at[axis] > 0) return;  // once for each row
              const auto row = row_of<T>(x, at, axis);
              const auto order = row_of<std::int64_t>(result, at, axis);
              for (std::size_t i = 1; i < order.size(); ++i) {
                const T a = row[static_cast<std::size_t>(order[i - 1])];
                const T b = row[static_cast<std::size_t>(order[i])];
                const bool before = descending ? is_less(b, a) : is_less(a, b);
                const bool after = descending ? is_less(a, b) : is_less(b, a);
                sorted &= before || (!after && order[i - 1] < order[i]);
              }
            });
            CAPTURE(to_string(x.dtype));
            CHECK(result.dtype == i64);
            CHECK(sorted);
          }
        }
      }
    }
  });
}

TEST_CASE("argsort: equal elements stay in order, NaN is the largest") {
  const Array x = array_of(std::vector<float>{2, NAN, -0.0f, 0, INFINITY, NAN, -1}, {7});
  using Positions = std::vector<std::int64_t>;
  CHECK(elements<std::int64_t>(interpreter::argsort(x, 0, false, here)) ==
        Positions{6, 2, 3, 0, 4, 1, 5});
  CHECK(elements<std::int64_t>(interpreter::argsort(x, 0, true, here)) ==
        Positions{1, 5, 4, 0, 2, 3, 6});
}
