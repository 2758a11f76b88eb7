// test: moved
#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/runtime/interpreter/movement.hpp>

#include <algorithm>
#include <numeric>

#include "arrays.hpp"
#include "arrays_on_gpu.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::runtime;
using namespace arrays;

namespace {

const Where here = Where::current();

Shape shape_of(const Sizes& sizes) {
  return Shape(std::span<const std::int64_t>(sizes.begin(), sizes.end()));
}

// 0, 1, 2, ... in every layout.
Vector<Array> counting(const Sizes& shape) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(interpreter::count(shape)));
  std::iota(values.begin(), values.end(), 0);
  return layouts<std::int32_t>(array_of(values, shape));
}

// Checks that `result` has `shape` and that its element at p is the element of `x` at from(p).
// Notes for the GPU that `write` gives it.
template <class From, class Write>
void check_moved(const Array& result, const Sizes& shape, const Array& x, const From& from,
                 const Write& write) {
  REQUIRE(result.shape == shape);
  note({x}, result, [&](Builder& build, const Vector<Value>& y) { return write(build, y[0]); });
  std::vector<std::int32_t> expected;
  for_each_position(
      shape, [&](const Sizes& at) { expected.push_back(element<std::int32_t>(x, from(at))); });
  CHECK(elements<std::int32_t>(result) == expected);
}

}  // namespace

TEST_CASE("reshape: keeps the row-major order of elements, from every layout") {
  for (const Array& x : counting({4, 6})) {
    for (const Sizes& shape : {Sizes{24}, {2, 3, 4}, {1, 24, 1}, {4, 6}, {2, 2, 2, 3}}) {
      const Array y = interpreter::reshape(x, shape, here);
      CHECK(y.shape == shape);
      CHECK(elements<std::int32_t>(y) == elements<std::int32_t>(x));
      note({x}, y, [&](Builder& build, const Vector<Value>& z) {
        return build.reshape(z[0], shape_of(shape));
      });
    }
  }
  for (const Array& x : counting({1, 1})) {
    CHECK(elements<std::int32_t>(interpreter::reshape(x, {}, here)).size() == 1);
  }
  for (const Array& x : counting({0, 3})) {
    CHECK(interpreter::reshape(x, {3, 0, 5}, here).shape == Sizes{3, 0, 5});
  }
}

TEST_CASE("reshape: does not copy dense arrays or one repeated element") {
  const Array dense = counting({4, 6})[0];
  CHECK(interpreter::reshape(dense, {24}, here).storage == dense.storage);
  const Array one = interpreter::expand(counting({1, 1})[0], {4, 6});
  const Array many = interpreter::reshape(one, {8, 3}, here);
  CHECK(many.storage == one.storage);
  CHECK(elements<std::int32_t>(many) == std::vector<std::int32_t>(24, 0));
}

TEST_CASE("permute: result axis i is input axis axes[i]") {
  for (const Array& x : counting({2, 3, 4})) {
    Sizes axes{0, 1, 2};
    do {
      Sizes shape;
      for (const std::int64_t axis : axes) shape.push_back(x.shape[static_cast<std::size_t>(axis)]);
      check_moved(
          interpreter::permute(x, axes), shape, x,
          [&](const Sizes& at) {
            Sizes from{0, 0, 0};
            for (std::size_t i = 0; i < 3; ++i) from[static_cast<std::size_t>(axes[i])] = at[i];
            return from;
          },
          [&](Builder& build, Value y) { return build.permute(y, axis_list(axes)); });
    } while (std::next_permutation(axes.begin(), axes.end()));
  }
}

TEST_CASE("expand: repeats axes of extent 1") {
  for (const Array& x : counting({3, 1, 2, 1})) {
    for (const Sizes& shape : {Sizes{3, 4, 2, 1}, {3, 0, 2, 5}}) {
      check_moved(
          interpreter::expand(x, shape), shape, x,
          [](const Sizes& at) {
            return Sizes{at[0], 0, at[2], 0};
          },
          [&](Builder& build, Value y) { return build.expand(y, shape_of(shape)); });
    }
  }
}

TEST_CASE("pad: the value around the input; negative widths drop elements") {
  for (const Array& x : counting({3, 4})) {
    for (const std::int64_t low : {0, 2, -1}) {
      for (const std::int64_t high : {0, 1, -1, -2}) {
        const Array y = interpreter::pad(x, {low, high}, {high, low}, constant(-7, i32), here);
        REQUIRE(y.shape == Sizes{3 + low + high, 4 + low + high});
        note({x}, y, [&](Builder& build, const Vector<Value>& z) {
          return build.pad(z[0], {low, high}, {high, low}, constant(-7, i32));
        });
        for_each_position(y.shape, [&](const Sizes& at) {
          const Sizes from{at[0] - low, at[1] - high};
          const bool inside = from[0] >= 0 && from[0] < 3 && from[1] >= 0 && from[1] < 4;
          CHECK(element<std::int32_t>(y, at) == (inside ? element<std::int32_t>(x, from) : -7));
        });
      }
    }
  }
}

TEST_CASE("pad: of an empty array has only the pad value") {
  const Array y = interpreter::pad(counting({0, 2})[0], {1, 0}, {1, 0}, constant(5, i32), here);
  CHECK(elements<std::int32_t>(y) == std::vector<std::int32_t>(4, 5));
}

TEST_CASE("slice: result[i] is input[start + i * step]") {
  for (const Array& x : counting({7, 5})) {
    for (const std::int64_t start : {0, 2}) {
      for (const std::int64_t step : {1, 3}) {
        const Sizes shape{(7 - start + step - 1) / step, 2};
        check_moved(
            interpreter::slice(x, {start, 1}, {step, 2}, shape), shape, x,
            [&](const Sizes& at) {
              return Sizes{start + at[0] * step, 1 + at[1] * 2};
            },
            [&](Builder& build, Value y) {
              return build.slice(y, {start, 1}, {step, 2}, shape_of(shape));
            });
      }
    }
    check_moved(
        interpreter::slice(x, {7, 0}, {1, 1}, {0, 5}), {0, 5}, x,
        [](const Sizes& at) { return at; },
        [](Builder& build, Value y) {
          return build.slice(y, {7, 0}, {1, 1}, {0, 5});
        });
  }
}

TEST_CASE("slice: one that leaves its input is an InternalError") {
  const Array x = counting({7})[0];
  CHECK_THROWS_AS(interpreter::slice(x, {5}, {1}, {3}), InternalError);
  CHECK_THROWS_AS(interpreter::slice(x, {-1}, {1}, {3}), InternalError);
  CHECK_THROWS_AS(interpreter::slice(x, {0}, {3}, {4}), InternalError);
}

TEST_CASE("flip: reverses its axes") {
  for (const Array& x : counting({3, 4})) {
    for (const Sizes& axes : {Sizes{0}, {0, 1}, {}}) {
      check_moved(
          interpreter::flip(x, axes), {3, 4}, x,
          [&](const Sizes& at) {
            return Sizes{axes.size() > 0 ? 2 - at[0] : at[0], axes.size() > 1 ? 3 - at[1] : at[1]};
          },
          [&](Builder& build, Value y) { return build.flip(y, axis_list(axes)); });
    }
  }
  CHECK(elements<std::int32_t>(interpreter::flip(counting({0, 3})[0], {0})).empty());
}

TEST_CASE("unfold: element k of window i is input[i * step + k * dilation]") {
  for (const Array& x : counting({3, 9, 2})) {
    for (const std::int64_t step : {1, 2, 4}) {
      for (const std::int64_t dilation : {1, 3}) {
        const std::int64_t windows = (9 - 2 * dilation - 1) / step + 1;
        check_moved(
            interpreter::unfold(x, 1, step, dilation, {3, windows, 2, 3}), {3, windows, 2, 3}, x,
            [&](const Sizes& at) {
              return Sizes{at[0], at[1] * step + at[3] * dilation, at[2]};
            },
            [&](Builder& build, Value y) {
              return build.unfold(y, 1, windows, 3, step, dilation);
            });
      }
    }
  }
  CHECK(
      elements<std::int32_t>(interpreter::unfold(counting({0, 5})[0], 1, 1, 1, {0, 4, 2})).empty());
}
