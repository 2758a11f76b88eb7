// test: moved
#include <doctest/doctest.h>
#include <sinter/runtime/interpreter/contraction.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "arrays_on_gpu.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::runtime;
using namespace arrays;
using interpreter::PairedAxes;

namespace {

const Where here = Where::current();

template <class T>
std::vector<T> mixed(std::int64_t size, int seed) {
  std::vector<T> result;
  for (std::int64_t i = 0; i < size; ++i) {
    result.push_back(convert_element<T>((i * 7919 + seed) % 11 - (floating<T> ? 5 : 0)));
  }
  return result;
}

// The axes of an array of `rank` that are in neither list.
Sizes free_axes(std::size_t rank, const Sizes& a, const Sizes& b) {
  Sizes result;
  for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(rank); ++axis) {
    if (std::count(a.begin(), a.end(), axis) + std::count(b.begin(), b.end(), axis) == 0) {
      result.push_back(axis);
    }
  }
  return result;
}

Sizes pick(const Sizes& shape, const Sizes& axes) {
  Sizes result;
  for (const std::int64_t axis : axes) result.push_back(shape[static_cast<std::size_t>(axis)]);
  return result;
}

void put(Sizes& position, const Sizes& axes, const Sizes& values, std::size_t first) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    position[static_cast<std::size_t>(axes[i])] = values[first + i];
  }
}

// By definition: a loop over the result around a loop over the contracted axes.
template <class T>
std::vector<T> plain_loop(const Array& lhs, const Array& rhs, const PairedAxes& axes,
                          Sizes& shape) {
  using Total = std::conditional_t<floating<T>, double, std::uint64_t>;
  const Sizes rows = free_axes(lhs.shape.size(), axes.lhs_batch, axes.lhs_contract);
  const Sizes columns = free_axes(rhs.shape.size(), axes.rhs_batch, axes.rhs_contract);
  shape = pick(lhs.shape, axes.lhs_batch);
  for (const std::int64_t size : pick(lhs.shape, rows)) shape.push_back(size);
  for (const std::int64_t size : pick(rhs.shape, columns)) shape.push_back(size);
  std::vector<T> result;
  for_each_position(shape, [&](const Sizes& at) {
    Sizes x = lhs.shape, y = rhs.shape;
    const std::size_t batch = axes.lhs_batch.size();
    put(x, axes.lhs_batch, at, 0);
    put(y, axes.rhs_batch, at, 0);
    put(x, rows, at, batch);
    put(y, columns, at, batch + rows.size());
    Total total = 0;
    for_each_position(pick(lhs.shape, axes.lhs_contract), [&](const Sizes& k) {
      put(x, axes.lhs_contract, k, 0);
      put(y, axes.rhs_contract, k, 0);
      total += static_cast<Total>(element<T>(lhs, x)) * static_cast<Total>(element<T>(rhs, y));
    });
    result.push_back(convert_element<T>(total));
  });
  return result;
}

struct Case {
  Sizes lhs, rhs;
  PairedAxes axes;
};

const Case cases[]{
    {{3, 4}, {4, 5}, {{}, {}, {1}, {0}}},                      // a matrix product
    {{4, 3}, {5, 4}, {{}, {}, {0}, {1}}},                      // both transposed
    {{5}, {5}, {{}, {}, {0}, {0}}},                            // an inner product
    {{5}, {3}, {{}, {}, {}, {}}},                              // an outer product
    {{}, {}, {{}, {}, {}, {}}},                                // of two numbers
    {{2, 3, 4}, {2, 4, 5}, {{0}, {0}, {2}, {1}}},              // a batch
    {{3, 2, 4}, {5, 4, 2}, {{1}, {2}, {2}, {1}}},              // a batch in the middle
    {{2, 3, 4, 5}, {5, 6, 3, 2}, {{0}, {3}, {3, 1}, {0, 2}}},  // two contracted axes
    {{2, 3, 2, 3}, {3, 2, 4, 2}, {{0, 1}, {1, 0}, {2}, {3}}},  // two batch axes
    {{4}, {4}, {{0}, {0}, {}, {}}},                            // elementwise
    {{0, 4}, {4, 5}, {{}, {}, {1}, {0}}},
    {{3, 0}, {0, 5}, {{}, {}, {1}, {0}}},  // sums of nothing
    {{0, 3, 4}, {0, 4, 5}, {{0}, {0}, {2}, {1}}},
    {{1, 1}, {1, 1}, {{}, {}, {1}, {0}}},
    {{17, 300}, {300, 19}, {{}, {}, {1}, {0}}},  // beyond a tile and its depth
};

}  // namespace

TEST_CASE("dot_general: agrees with a plain loop, for every dtype, pairing and layout") {
  for_each_dtype([]<class T>(T) {
    if (dtype_of<T> == boolean) return;
    for (const auto& [lhs, rhs, axes] : cases) {
      const auto xs = layouts<T>(array_of(mixed<T>(interpreter::count(lhs), 3), lhs));
      const auto ys = layouts<T>(array_of(mixed<T>(interpreter::count(rhs), 8), rhs));
      for (std::size_t layout = 0; layout < xs.size(); ++layout) {
        const Array &x = xs[layout], &y = ys[(layout + 1) % ys.size()];
        Sizes shape;
        const auto wanted = plain_loop<T>(x, y, axes, shape);
        const Array result = interpreter::dot_general(x, y, axes, here);
        note({x, y}, result, [&](Builder& build, const Vector<Value>& z) {
          return build.dot_general(
              z[0], z[1],
              DotAxes{axis_list(axes.lhs_batch), axis_list(axes.rhs_batch),
                      axis_list(axes.lhs_contract), axis_list(axes.rhs_contract)});
        });
        INFO(info(dtype_of<T>).name << " " << text(lhs) << " " << text(rhs));
        CHECK(result.dtype == dtype_of<T>);
        CHECK(result.shape == shape);
        CHECK(difference(elements<T>(result), wanted) == -1);
      }
    }
  });
}

TEST_CASE("dot_general: NaN and infinity reach exactly the results that depend on them") {
  std::vector<float> x(5 * 7, 1.0f);
  x[2 * 7 + 3] = NAN;
  x[4 * 7 + 6] = INFINITY;
  const Array y = array_of<float>(std::vector<float>(7 * 9, 1.0f), {7, 9});
  const auto result =
      elements<float>(interpreter::dot_general(array_of(x, {5, 7}), y, {{}, {}, {1}, {0}}, here));
  for (std::size_t i = 0; i < result.size(); ++i) {
    CHECK(std::isnan(result[i]) == (i / 9 == 2));
    CHECK(std::isinf(result[i]) == (i / 9 == 4));
  }
}

TEST_CASE("dot_general: integers wrap") {
  const std::int32_t big = std::numeric_limits<std::int32_t>::max();
  const Array x = array_of<std::int32_t>({big, big}, {2});
  const Array y = array_of<std::int32_t>({2, 2}, {2});
  const Array result = interpreter::dot_general(x, y, {{}, {}, {0}, {0}}, here);
  CHECK(element<std::int32_t>(result, {}) == -4);
  const Array narrow = array_of<std::int8_t>({100, 100}, {2});
  CHECK(element<std::int8_t>(interpreter::dot_general(narrow, narrow, {{}, {}, {0}, {0}}, here),
                             {}) == 32);
}

TEST_CASE("dot_general: 16-bit dtypes are rounded once, f32 loses nothing in long sums") {
  const std::vector<half> ones(60'000, half(1.0f));  // f16 sums would stop at 2048
  const Array x = array_of(ones, {60'000});
  const Array squares = interpreter::dot_general(x, x, {{}, {}, {0}, {0}}, here);
  CHECK(static_cast<float>(element<half>(squares, {})) == 60'000.0f);
  const std::int64_t depth = 100'000;
  const std::vector<float> tenths(static_cast<std::size_t>(depth), 0.1f);
  const std::vector<float> units(static_cast<std::size_t>(depth), 1.0f);
  const Array sum = interpreter::dot_general(array_of(tenths, {depth}), array_of(units, {depth}),
                                             {{}, {}, {0}, {0}}, here);
  const double exact = static_cast<double>(0.1f) * static_cast<double>(depth);
  CHECK(std::abs(static_cast<double>(element<float>(sum, {})) - exact) < 1e-5 * exact);
}

TEST_CASE("dot_general: long sums of f64 are added in order, bit for bit") {
  const std::int64_t depth = 1'031;
  std::vector<double> x, y;
  for (std::int64_t i = 0; i < depth; ++i) {
    x.push_back(1.0 / static_cast<double>(i + 1));
    y.push_back(static_cast<double>(i % 7 - 3) / 3);
  }
  double total = 0;
  for (std::size_t i = 0; i < x.size(); ++i) total += x[i] * y[i];
  const Array sum = interpreter::dot_general(array_of(x, {depth}), array_of(y, {depth}),
                                             {{}, {}, {0}, {0}}, here);
  CHECK(element<double>(sum, {}) == total);
}
