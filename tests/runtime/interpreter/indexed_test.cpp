// test: moved
#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/runtime/interpreter/indexed.hpp>

#include <limits>
#include <string>

#include "arrays.hpp"
#include "arrays_on_gpu.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::runtime;
using namespace arrays;

namespace {

const Where here = Where::current();

template <class T>
Array mixed(const Sizes& shape) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < interpreter::count(shape); ++i) {
    values.push_back(convert_element<T>((i * 7919 + 3) % 11));
  }
  return array_of(values, shape);
}

// The position in x of the element of gather(x, indices, axis) at `at`.
Sizes source(const Array& x, const Array& indices, std::int64_t axis, const Sizes& at) {
  Sizes index, position;
  const auto first = static_cast<std::size_t>(axis);
  for (std::size_t i = 0; i < indices.shape.size(); ++i) index.push_back(at[first + i]);
  const std::int64_t row = element<std::int64_t>(indices, index);
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    if (i < first) position.push_back(at[i]);
    if (i == first) position.push_back(row < 0 ? row + x.shape[i] : row);
    if (i > first) position.push_back(at[i + indices.shape.size() - 1]);
  }
  return position;
}

template <class Throwing>
std::string message_of(const Throwing& throwing) {
  try {
    throwing();
  } catch (const IndexError& error) {
    return error.what();
  }
  return "";
}

const std::vector<std::int64_t> rows{2, 0, -1, 2, 1, -3};
const Sizes index_shapes[]{{6}, {2, 3}, {3, 1, 2}};

}  // namespace

TEST_CASE("gather: agrees with a plain loop, for every dtype, axis and layout") {
  for_each_dtype([]<class T>(T) {
    for (const std::int64_t axis : {0, 1, 2}) {
      Sizes shape{2, 4, 5};
      shape[static_cast<std::size_t>(axis)] = 3;
      for (const Array& x : layouts<T>(mixed<T>(shape))) {
        for (const Sizes& index_shape : index_shapes) {
          for (const Array& indices : layouts<std::int64_t>(array_of(rows, index_shape))) {
            const Array result = interpreter::gather(x, indices, axis, here);
            note({x, indices}, result, [&](Builder& build, const Vector<Value>& z) {
              return build.gather(z[0], z[1], axis);
            });
            std::size_t wrong = 0;
            REQUIRE(result.shape.size() == 2 + index_shape.size());
            for_each_position(result.shape, [&](const Sizes& at) {
              wrong += !same_bits<T>(element<T>(result, at),
                                     element<T>(x, source(x, indices, axis, at)));
            });
            CHECK(wrong == 0);
          }
        }
      }
    }
  });
}

TEST_CASE("gather: a rank-0 index drops the axis; no indices give no elements") {
  const Array x = array_of<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const Array row = interpreter::gather(x, array_of<std::int64_t>({-2}, {}), 0, here);
  CHECK(row.shape == Sizes{2});
  CHECK(elements<float>(row) == std::vector<float>{3, 4});
  CHECK(interpreter::gather(x, array_of<std::int64_t>({}, {0}), 1, here).shape == Sizes{3, 0});
  const Array none = array_of<float>({}, {3, 0});
  CHECK(interpreter::gather(none, array_of<std::int64_t>({1}, {1}), 0, here).shape == Sizes{1, 0});
}

TEST_CASE("scatter_add: agrees with a plain loop, for every dtype, axis and layout") {
  for_each_dtype([]<class T>(T) {
    if (dtype_of<T> == boolean) return;
    for (const std::int64_t axis : {0, 1, 2}) {
      Sizes shape{2, 4, 5};
      shape[static_cast<std::size_t>(axis)] = 3;
      const Array x = mixed<T>(shape);
      const Array indices = array_of(rows, {2, 3});
      const Array y = mixed<T>(interpreter::gather(x, indices, axis, here).shape);
      const auto xs = layouts<T>(x), ys = layouts<T>(y);
      const Array wanted = array_of(elements<T>(x), shape);
      for_each_position(y.shape, [&](const Sizes& at) {
        T& sum = element<T>(wanted, source(x, indices, axis, at));
        sum = convert_element<T>(sum + element<T>(y, at));
      });
      for (std::size_t layout = 0; layout < xs.size(); ++layout) {
        const Array result =
            interpreter::scatter_add(xs[layout], indices, ys[(layout + 1) % ys.size()], axis, here);
        note({x, indices, y}, result, [&](Builder& build, const Vector<Value>& z) {
          return build.scatter_add(z[0], z[1], z[2], axis);
        });
        CHECK(difference(elements<T>(result), elements<T>(wanted)) == -1);
      }
      CHECK(difference(elements<T>(x), elements<T>(mixed<T>(shape))) == -1);
    }
  });
}

TEST_CASE("scatter_add: many additions to one element are rounded once") {
  const std::int64_t size = 5000;
  const Array indices = array_of(std::vector<std::int64_t>(5000, 0), {size});
  const Array ones = array_of(std::vector<half>(5000, half(1.0f)), {size});
  const Array zero = array_of<half>({half(0.0f)}, {1});
  const Array sum = interpreter::scatter_add(zero, indices, ones, 0, here);
  CHECK(static_cast<float>(element<half>(sum, {0})) == 5000.0f);
}

TEST_CASE("gather, scatter_add: an index outside of the axis throws, with the user's line") {
  const Array x = array_of<float>({1, 2, 3}, {3});
  for (const std::int64_t bad :
       {std::int64_t{3}, std::int64_t{-4}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    const Array indices = array_of<std::int64_t>({0, bad}, {2});
    const std::string rest =
        text(": index out of range\n  index ", bad,
             ", at the row-major position 1\n  bound 3\n  rule  -3 <= index < 3\n"
             "  fix   check how the indices are computed; a loss uses classes as indices\n  at    ",
             to_string(here), "\n  see   docs/errors.md#indexing");
    CHECK(message_of([&] { interpreter::gather(x, indices, 0, here); }) == "gather" + rest);
    const Array y = array_of<float>({1, 2}, {2});
    CHECK(message_of([&] { interpreter::scatter_add(x, indices, y, 0, here); }) ==
          "scatter_add" + rest);
  }
  const Array none = array_of<float>({}, {0});
  const Array zero = array_of<std::int64_t>({0}, {1});
  CHECK_THROWS_AS(interpreter::gather(none, zero, 0, here), IndexError);
}

TEST_CASE("concatenate: part after part, every dtype, axis and layout") {
  for_each_dtype([]<class T>(T) {
    for (const std::int64_t axis : {0, 1, 2}) {
      const auto a = static_cast<std::size_t>(axis);
      Sizes first{2, 3, 2}, none = first, second = first, whole = first;
      none[a] = 0, second[a] = 5, whole[a] = first[a] + 5;
      for (const Array& x : layouts<T>(mixed<T>(first))) {
        for (const Array& y : layouts<T>(mixed<T>(second))) {
          const Vector<Array> parts{x, mixed<T>(none), y};
          const Array z = interpreter::concatenate(parts, axis, whole, here);
          REQUIRE(z.shape == whole);
          for_each_position(whole, [&](Sizes at) {
            const T found = element<T>(z, at);
            const bool is_first = at[a] < first[a];
            if (!is_first) at[a] -= first[a];
            CHECK(found == element<T>(is_first ? x : y, at));
          });
        }
      }
    }
  });
}
