#include <doctest/doctest.h>
#include <sinter/base/container/algorithm.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace detail = sinter::detail;

TEST_CASE("algorithm: searches of ranges") {
  const std::vector<int> values{3, 1, 4, 1, 5};
  const auto is = [](int wanted) { return [wanted](int value) { return value == wanted; }; };
  CHECK(detail::any_of(values, is(5)));
  CHECK_FALSE(detail::any_of(values, is(2)));
  CHECK(detail::none_of(values, is(2)));
  CHECK_FALSE(detail::none_of(values, is(1)));
  CHECK(detail::all_of(values, [](int value) { return value > 0; }));
  CHECK_FALSE(detail::all_of(values, is(3)));
  CHECK(detail::count_if(values, is(1)) == 2);
  CHECK(detail::find_if(values, is(1)) == values.begin() + 1);
  CHECK(detail::find_if(values, is(2)) == values.end());
  CHECK(detail::find(values, 1) == values.begin() + 1);
  CHECK(detail::find(values, 2) == values.end());
  CHECK(detail::contains(values, 5));
  CHECK_FALSE(detail::contains(values, 2));
  const std::vector<int> none;
  CHECK(detail::find(none, 1) == none.end());
  CHECK_FALSE(detail::contains(none, 1));
  CHECK(detail::all_of(none, is(1)));
  CHECK_FALSE(detail::any_of(none, is(1)));
}

TEST_CASE("algorithm: stable_sort equals that of the standard") {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 200; ++size) {
    std::vector<std::pair<int, std::string>> expected;
    for (std::size_t i = 0; i < size; ++i) {
      expected.emplace_back(static_cast<int>(random() % 20), std::to_string(i));
    }
    auto sorted = expected;
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(expected.begin(), expected.end(), less);
    detail::stable_sort(sorted, less);
    REQUIRE(sorted == expected);
  }
  std::array<int, 5> five{5, 2, 4, 1, 3};
  detail::stable_sort(five);
  CHECK(five == std::array<int, 5>{1, 2, 3, 4, 5});
}
