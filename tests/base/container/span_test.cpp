#include <doctest/doctest.h>
#include <sinter/base/container/span.hpp>

#include <array>
#include <initializer_list>
#include <list>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <sinter/base/container/vector.hpp>

using sinter::detail::Span;
using sinter::detail::Vector;

namespace {

int sum(Span<const int> numbers) {
  int result = 0;
  for (const int number : numbers) result += number;
  return result;
}

}  // namespace

TEST_CASE("span: converts from containers, arrays and other spans, temporaries too") {
  const int array[]{1, 2, 3};
  const std::vector<int> standard{1, 2, 3};
  Vector<int> own{1, 2, 3};
  CHECK(sum(array) == 6);
  CHECK(sum(standard) == 6);
  CHECK(sum(own) == 6);
  CHECK(sum(std::array{1, 2, 3}) == 6);
  CHECK(sum(Vector<int>{4, 5}) == 9);
  CHECK(sum(std::span<const int>(standard)) == 6);
  CHECK(sum(Span<int>(own)) == 6);
  const std::initializer_list<int> list{7, 8};
  CHECK(sum(list) == 15);
  CHECK(sum({array, 2}) == 3);
  CHECK(sum({array + 1, array + 3}) == 5);
  CHECK(Span<const char>(std::string("ab")).size() == 2);
  static_assert(std::is_same_v<decltype(Span(standard)), Span<const int>>);
  static_assert(std::is_same_v<decltype(Span(own)), Span<int>>);
  static_assert(!std::is_convertible_v<const Vector<int>&, Span<int>>);
  static_assert(!std::is_convertible_v<Vector<double>&, Span<const int>>);
  static_assert(!std::is_convertible_v<std::list<int>&, Span<const int>>);
  static_assert(!std::is_convertible_v<std::vector<bool>&, Span<const bool>>);
  static_assert(!std::is_constructible_v<Span<const int>, int, int>);
}

TEST_CASE("span: a position is of any integer type") {
  int values[]{1, 2, 3};
  const Span<int> span = values;
  span[std::int32_t{2}] += span[std::uint32_t{1}];
  CHECK(span[std::int64_t{2}] == 5);
}

TEST_CASE("span: refers to the elements") {
  Vector<int> numbers{1, 2, 3, 4, 5};
  const Span<int> all = numbers;
  all[1] = 20;
  all.back() = 50;
  CHECK(numbers == Vector<int>{1, 20, 3, 4, 50});
  CHECK(sum(all.first(2)) == 21);
  CHECK(sum(all.last(2)) == 54);
  CHECK(sum(all.subspan(3)) == 54);
  CHECK(sum(all.subspan(1, 2)) == 23);
  CHECK(all.subspan(5).empty());
  CHECK(all.size_bytes() == 5 * sizeof(int));
  CHECK(Span<int>().empty());
}
