// test: moved
#include <doctest/doctest.h>
#include <sinter/runtime/interpreter/reduce.hpp>

#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "arrays_on_gpu.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::runtime;
using namespace arrays;

namespace {

const Where here = Where::current();

// Numbers without order, small enough that floating sums of them are exact.
template <class T>
std::vector<T> mixed(std::int64_t size) {
  std::vector<T> result;
  for (std::int64_t i = 0; i < size; ++i) {
    result.push_back(convert_element<T>((i * 7919 + 3) % 11 - (floating<T> ? 5 : 0)));
  }
  return result;
}

// For each position of the result the elements that are reduced to it, in row-major order.
template <class T>
std::vector<std::vector<T>> groups(const Array& x, const Sizes& axes) {
  Sizes kept_shape = x.shape;
  for (const std::int64_t axis : axes) kept_shape[static_cast<std::size_t>(axis)] = 1;
  std::vector<std::vector<T>> result(static_cast<std::size_t>(interpreter::count(kept_shape)));
  const Sizes strides = interpreter::dense_strides(kept_shape);
  for_each_position(x.shape, [&](const Sizes& at) {
    std::int64_t group = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      if (kept_shape[axis] == x.shape[axis]) group += at[axis] * strides[axis];
    }
    result[static_cast<std::size_t>(group)].push_back(element<T>(x, at));
  });
  return result;
}

template <class T>
T reduced(Op op, const std::vector<T>& group) {
  if constexpr (floating<T>) {
    double total = op == Op::sum ? 0 : op == Op::prod ? 1 : op == Op::max ? -INFINITY : INFINITY;
    for (const T x : group) {
      const double value = static_cast<double>(x);
      if (op == Op::sum) total += value;
      if (op == Op::prod) total *= value;
      if (op == Op::max)
        total = std::isnan(value) || std::isnan(total) ? NAN : std::max(total, value);
      if (op == Op::min)
        total = std::isnan(value) || std::isnan(total) ? NAN : std::min(total, value);
    }
    return convert_element<T>(total);
  } else {
    std::uint64_t total = op == Op::prod ? 1 : 0;
    T best = op == Op::max ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    for (const T x : group) {
      if (op == Op::sum) total += static_cast<std::uint64_t>(x);
      if (op == Op::prod) total *= static_cast<std::uint64_t>(x);
      if (op == Op::max) best = std::max(best, x);
      if (op == Op::min) best = std::min(best, x);
    }
    return op == Op::max || op == Op::min ? best : static_cast<T>(total);
  }
}

template <class T>
std::int64_t position_of_largest(const std::vector<T>& group) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const double x = static_cast<double>(group[i]), y = static_cast<double>(group[best]);
    if (x > y || (std::isnan(x) && !std::isnan(y))) best = i;
  }
  return static_cast<std::int64_t>(best);
}

struct Case {
  Sizes shape, axes;
};

const Case cases[]{
    {{}, {}},
    {{5}, {0}},
    {{5}, {}},
    {{1}, {0}},
    {{600}, {0}},
    {{1500, 2}, {0}},
    {{2, 1500}, {1}},
    {{3, 4}, {0}},
    {{3, 4}, {1}},
    {{3, 4}, {0, 1}},
    {{3, 1, 4}, {1}},
    {{2, 3, 4}, {0, 2}},
    {{2, 3, 4}, {1}},
    {{2, 3, 4, 5}, {1, 2}},
    {{2, 3, 4, 5}, {0, 3}},
    {{0, 3}, {0}},
    {{3, 0}, {0}},
    {{0}, {0}},
    {{2, 2, 2, 2, 2, 2, 2, 3}, {0, 2, 4, 6}},
};

}  // namespace

TEST_CASE(
    "reduce: sum, prod, max and min agree with plain loops, for every dtype, axes and layout") {
  for (const Op op : {Op::sum, Op::prod, Op::max, Op::min}) {
    for_each_dtype([&]<class T>(T) {
      if (!takes(info(op).takes, dtype_of<T>)) return;
      for (const auto& [shape, axes] : cases) {
        for (const Array& x : layouts<T>(array_of(mixed<T>(interpreter::count(shape)), shape))) {
          const Array result = interpreter::reduce(op, x, axes, here);
          note({x}, result, [&](Builder& build, const Vector<Value>& y) {
            return build.reduce(op, y[0], axis_list(axes));
          });
          std::vector<T> wanted;
          for (const auto& group : groups<T>(x, axes)) wanted.push_back(reduced(op, group));
          INFO(info(op).name << " " << info(dtype_of<T>).name << " " << text(shape) << " over "
                             << text(axes));
          CHECK(result.dtype == dtype_of<T>);
          CHECK(result.shape.size() == shape.size() - axes.size());
          CHECK(difference(elements<T>(result), wanted) == -1);
        }
      }
    });
  }
}

TEST_CASE("reduce: argmax gives the first position of the largest element, over any axes") {
  for_each_dtype([&]<class T>(T) {
    for (const auto& [shape, axes] : cases) {
      for (const Array& x : layouts<T>(array_of(mixed<T>(interpreter::count(shape)), shape))) {
        const Array result = interpreter::reduce(Op::argmax, x, axes, here);
        note({x}, result, [&](Builder& build, const Vector<Value>& y) {
          return build.reduce(Op::argmax, y[0], axis_list(axes));
        });
        std::vector<std::int64_t> wanted;
        for (const auto& group : groups<T>(x, axes)) wanted.push_back(position_of_largest(group));
        INFO(info(dtype_of<T>).name << " " << text(shape) << " over " << text(axes));
        CHECK(result.dtype == i64);
        CHECK(elements<std::int64_t>(result) == wanted);
      }
    }
  });
}

TEST_CASE("reduce: edge values, alone and at every position of a row") {
  for_each_dtype([&]<class T>(T) {
    for (const T edge : edge_values<T>()) {
      for (const std::int64_t place : {0, 1, 39, 40}) {
        auto values = mixed<T>(41);
        values[static_cast<std::size_t>(place)] = edge;
        const Array x = array_of(values, {41});
        for (const Op op : {Op::sum, Op::max, Op::min}) {
          if (!takes(info(op).takes, dtype_of<T>)) continue;
          const Array result = interpreter::reduce(op, x, {0}, here);
          INFO(info(op).name << " " << info(dtype_of<T>).name << " " << static_cast<double>(edge));
          const T found = element<T>(result, {}), wanted = reduced(op, values);
          const bool close =
              floating<T> && op == Op::sum &&
              std::abs(static_cast<double>(found) - static_cast<double>(wanted)) <= 1e-9;
          CHECK((close || same_bits<T>(found, wanted)));
        }
        CHECK(element<std::int64_t>(interpreter::reduce(Op::argmax, x, {0}, here), {}) ==
              position_of_largest(values));
      }
    }
  });
}

TEST_CASE("reduce: NaN propagates, also if it is the only element or in the last of many rows") {
  for (const Op op : {Op::max, Op::min, Op::sum}) {
    std::vector<float> values(100 * 3, 1.0f);
    values[299] = NAN;
    const Array result = interpreter::reduce(op, array_of(values, {100, 3}), {0}, here);
    CHECK(std::isnan(element<float>(result, {2})));
    CHECK_FALSE(std::isnan(element<float>(result, {1})));
  }
  const Array x = array_of<double>({1, NAN, INFINITY, NAN}, {4});
  CHECK(element<std::int64_t>(interpreter::reduce(Op::argmax, x, {0}, here), {}) == 1);
  const Array least = array_of<double>({-INFINITY, -INFINITY}, {2});
  CHECK(element<std::int64_t>(interpreter::reduce(Op::argmax, least, {0}, here), {}) == 0);
}

TEST_CASE("reduce: of an empty axis gives the identity") {
  const Array none = array_of<float>({}, {0, 2}), whole = array_of<std::int8_t>({}, {0});
  const auto reduce = [](Op op, const Array& x) { return interpreter::reduce(op, x, {0}, here); };
  CHECK(elements<float>(reduce(Op::sum, none)) == std::vector<float>{0, 0});
  CHECK(elements<float>(reduce(Op::prod, none)) == std::vector<float>{1, 1});
  CHECK(elements<float>(reduce(Op::max, none)) == std::vector<float>{-INFINITY, -INFINITY});
  CHECK(elements<float>(reduce(Op::min, none)) == std::vector<float>{INFINITY, INFINITY});
  CHECK(elements<std::int64_t>(reduce(Op::argmax, none)) == std::vector<std::int64_t>{0, 0});
  CHECK(element<std::int8_t>(reduce(Op::max, whole), {}) == -128);
  CHECK(element<std::int8_t>(reduce(Op::min, whole), {}) == 127);
  CHECK(element<bool>(reduce(Op::min, array_of<bool>({}, {0})), {}) == true);
}

TEST_CASE("reduce: floating sums are as accurate as one rounding") {
  std::vector<float> values(100'000, 0.1f);
  const Array sum = interpreter::reduce(Op::sum, array_of(values, {100'000}), {0}, here);
  CHECK(element<float>(sum, {}) == static_cast<float>(100'000 * static_cast<double>(0.1f)));
  std::vector<half> halves(5000, half(1.0f));  // f16 sums would stop at 2048
  const Array half_sum = interpreter::reduce(Op::sum, array_of(halves, {5000}), {0}, here);
  CHECK(static_cast<float>(element<half>(half_sum, {})) == 5000.0f);
}

TEST_CASE("reduce: integer sums and products wrap in their dtype") {
  const Array x = array_of<std::int8_t>({100, 100, 100}, {3});
  CHECK(element<std::int8_t>(interpreter::reduce(Op::sum, x, {0}, here), {}) == 44);
  CHECK(element<std::int8_t>(interpreter::reduce(Op::prod, x, {0}, here), {}) == 64);
  const std::int64_t big = std::numeric_limits<std::int64_t>::max();
  const Array y = array_of<std::int64_t>({big, 1}, {2});
  CHECK(element<std::int64_t>(interpreter::reduce(Op::sum, y, {0}, here), {}) ==
        std::numeric_limits<std::int64_t>::min());
}
