#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/runtime/interpreter/array.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "arrays.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::runtime;
using namespace sinter::detail::runtime::interpreter;
using namespace arrays;

namespace {

template <class T>
std::vector<T> counting(std::int64_t size) {
  std::vector<T> result;
  for (std::int64_t i = 0; i < size; ++i) result.push_back(convert_element<T>(i % 100));
  return result;
}

// All elements of `x`, read `step` at a time.
template <class T>
std::vector<T> read_all(const Array& x, std::int64_t step) {
  Reader reader(x);
  std::vector<T> result;
  for (std::int64_t left = count(x.shape); left > 0; left -= step) {
    const std::int64_t size = std::min(left, step);
    const T* const elements = static_cast<const T*>(reader.raw(size));
    result.insert(result.end(), elements, elements + size);
  }
  return result;
}

}  // namespace

TEST_CASE("array: make_dense allocates memory for the elements, and reports failures") {
  const Array x = make_dense(i16, {3, 5}, Where::current());
  CHECK(x.storage.bytes() == 30);
  CHECK(x.strides == Sizes{5, 1});
  CHECK(make_dense(f64, {3, 0}, Where::current()).storage.bytes() == 0);
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 4;
  CHECK_THROWS_AS(make_dense(f64, {huge, 4}, Where::current()), ValueError);
}

TEST_CASE("array: is_dense checks strides, except for axes of extent 1") {
  const Array x = make_dense(f32, {2, 1, 3}, Where::current());
  Array y = x;
  CHECK(is_dense(x));
  y.strides = {3, -5, 1};
  CHECK(is_dense(y));
  y.strides = {4, 3, 1};
  CHECK_FALSE(is_dense(y));
  y.strides = {0, 0, 0};
  CHECK_FALSE(is_dense(y));
  y.shape = {1, 1, 1};
  CHECK(is_dense(y));
  y.shape = {2, 0, 3};
  y.strides = {9, 9, 9};
  CHECK(is_dense(y));
}

TEST_CASE("array: copies and readers see the same elements in every layout, dtype and rank") {
  for_each_dtype([]<class T>(T) {
    for (const Sizes& shape : {Sizes{},
                               {1},
                               {7},
                               {0},
                               {3, 4},
                               {2, 0, 3},
                               {2, 3, 4},
                               {1, 5, 1, 2},
                               {2, 1, 2, 2, 1, 2, 1, 3},
                               {40, 41},
                               {3, 700},
                               {700, 3}}) {
      const auto values = counting<T>(count(shape));
      for (const Array& x : layouts<T>(array_of(values, shape))) {
        INFO(info(x.dtype).name);
        CHECK(difference(elements<T>(to_dense(x, Where::current())), values) == -1);
        for (const std::int64_t step : {std::int64_t{1}, std::int64_t{5}, interpreter::chunk}) {
          CHECK(difference(read_all<T>(x, step), values) == -1);
        }
      }
    }
  });
}

TEST_CASE("array: to_dense returns dense arrays unchanged") {
  const Array x = make_dense(f32, {2, 3}, Where::current());
  CHECK(to_dense(x, Where::current()).storage == x.storage);
}

TEST_CASE("array: copy writes to strided positions and nowhere else") {
  const Array from = array_of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Array all = array_of<float>(std::vector<float>(20, 9), {4, 5});
  Array inside = all;
  inside.shape = {2, 3};
  inside.offset = 6;
  copy(from, inside);
  CHECK(elements<float>(all) == std::vector<float>{9, 9, 9, 9, 9, 9, 1, 2, 3, 9,  //
                                                   9, 4, 5, 6, 9, 9, 9, 9, 9, 9});
}

TEST_CASE("reader: a repeated element is read as often as requested") {
  Array x = array_of<bfloat16>({bfloat16(2.5f)}, {1});
  x.shape = {3, 1000};
  x.strides = {0, 0};
  Reader reader(x);
  for (const std::int64_t size : {3L, 500L, 2L, interpreter::chunk}) {
    const float* const elements = reader.next<float>(size);
    CHECK(std::all_of(elements, elements + size, [](float e) { return e == 2.5f; }));
  }
}

TEST_CASE("reader: widens to the type in which a dtype is computed; store narrows") {
  for_each_dtype([]<class T>(T) {
    const auto values = edge_values<T>();
    const auto size = static_cast<std::int64_t>(values.size());
    for (const Array& x : layouts<T>(array_of(values, {size}))) {
      visit_computed(x.dtype, [&]<class C>(C) {
        Reader reader(x);
        const C* const wide = reader.next<C>(size);
        for (std::size_t i = 0; i < values.size(); ++i) {
          CHECK(same_bits<C>(wide[i], static_cast<C>(values[i])));
        }
        const Array back = make_dense(x.dtype, {size}, Where::current());
        store(x.dtype, wide, size, back.storage.data());
        CHECK(difference(elements<T>(back), values) == -1);
      });
    }
  });
}
