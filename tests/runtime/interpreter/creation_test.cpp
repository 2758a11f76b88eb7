// test: moved
#include <doctest/doctest.h>
#include <sinter/base/philox.hpp>
#include <sinter/runtime/interpreter/creation.hpp>

#include <bit>
#include <set>

#include "arrays.hpp"
#include "arrays_on_gpu.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::runtime;
using namespace arrays;

namespace {
const Where here = Where::current();
}

TEST_CASE("constant: every element is the number, for every dtype and shape") {
  for_each_dtype([]<class T>(T) {
    for (const T value : edge_values<T>()) {
      for (const Sizes& shape : {Sizes{}, {3}, {2, 0}, {2, 2, 2}}) {
        const Constant number = sinter::detail::constant(value, dtype_of<T>);
        const Array x = interpreter::constant(number, shape, here);
        CHECK(x.dtype == dtype_of<T>);
        CHECK(x.shape == shape);
        const std::vector<T> expected(static_cast<std::size_t>(interpreter::count(shape)), value);
        CHECK(difference(elements<T>(x), expected) == -1);
      }
    }
    const auto values = edge_values<T>();
    const auto all = array_of(values, {static_cast<std::int64_t>(values.size())});
    note({}, all, [&](Builder& build, const Vector<Value>&) {
      Vector<Value> parts;
      for (const T value : values) {
        parts.push_back(
            build.constant(sinter::detail::constant(value, dtype_of<T>), {dtype_of<T>, {1}}));
      }
      return build.concatenate(parts, 0);
    });
  });
}

TEST_CASE("iota: the position along the axis, converted to the dtype") {
  for_each_dtype([]<class T>(T) {
    for (const std::int64_t axis : {0, 1, 2}) {
      const Array x = interpreter::iota(dtype_of<T>, {2, 700, 3}, axis, here);
      std::vector<T> expected;
      for_each_position(x.shape, [&](const Sizes& at) {
        expected.push_back(convert_element<T>(at[static_cast<std::size_t>(axis)]));
      });
      CHECK(difference(elements<T>(x), expected) == -1);
      note({}, x, [&](Builder& build, const Vector<Value>&) {
        return build.iota({dtype_of<T>, {2, 700, 3}}, axis);
      });
    }
  });
  CHECK(elements<float>(interpreter::iota(f32, {0}, 0, here)).empty());
}

TEST_CASE("random_bits: are the words of random_words(), in groups of four") {
  for (const std::int64_t size : {0, 1, 3, 4, 5, 1001}) {
    const Array x = interpreter::random_bits(1, 2, 3, {size}, here);
    CHECK(x.dtype == i32);
    const auto bits = elements<std::int32_t>(x);
    for (std::size_t i = 0; i < bits.size(); ++i) {
      CHECK(std::bit_cast<std::uint32_t>(bits[i]) == random_words(1, 2, 3, i / 4)[i % 4]);
    }
  }
}

TEST_CASE("random_bits: the shape does not change the bits, the position is row-major") {
  const Array flat = interpreter::random_bits(5, 0, 1, {12}, here);
  CHECK(elements<std::int32_t>(interpreter::random_bits(5, 0, 1, {3, 2, 2}, here)) ==
        elements<std::int32_t>(flat));
}
