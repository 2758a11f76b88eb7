#include <doctest/doctest.h>
#include <sinter/base/container/sorted_map.hpp>

#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "random_operations.hpp"

using sinter::detail::SortedMap;
using sinter::detail::SortedSet;

namespace {

using Map = SortedMap<int, std::string>;

void check_equal(const Map& map, const std::map<int, std::string>& expected) {
  REQUIRE(map.size() == expected.size());
  auto at = expected.begin();
  for (const auto& [key, value] : map) {
    REQUIRE(key == at->first);
    REQUIRE(value == at->second);
    ++at;
  }
}

}  // namespace

TEST_CASE("sorted_map: random operations are those of std::map") {
  std::map<int, std::string> expected;
  Map map;
  random_operations::run(map, expected, 20000, [&](int key) {
    const auto after = expected.lower_bound(key);
    const auto found = map.lower_bound(key);
    REQUIRE((after == expected.end()) == (found == map.end()));
    if (after != expected.end()) CHECK(found->first == after->first);
    const auto below = map.last_below(key);
    REQUIRE((after == expected.begin()) == (below == map.end()));
    if (after != expected.begin()) CHECK(below->first == std::prev(after)->first);
    if (!expected.empty()) REQUIRE(map.back().first == std::prev(expected.end())->first);
    if (key == 0) check_equal(map, expected);
  });
  const Map copy = map;
  check_equal(copy, expected);
  CHECK(copy == map);
  const Map moved = std::move(map);
  check_equal(moved, expected);
  CHECK(map.empty());  // NOLINT: empty after a move, as documented
}

TEST_CASE("sorted_map: references stay valid until their element is erased") {
  SortedMap<int, int> map;
  int& seven = map[7];
  for (int i = 0; i < 1000; ++i) map[i * 37 % 1000] += i;
  for (int i = 0; i < 1000; ++i) {
    if (i != 7) map.erase(i);
  }
  seven = 5;
  CHECK(map.at(7) == 5);
  CHECK(map.size() == 1);
  CHECK_THROWS_AS(static_cast<void>(map.at(8)), std::out_of_range);
}

TEST_CASE("sorted_map: a million keys in order are found") {
  SortedMap<int, int> map;
  for (int i = 0; i < 1000000; ++i) map.emplace(i, i);
  for (int i = 0; i < 1000000; i += 997) REQUIRE(map.at(i) == i);
}

TEST_CASE("sorted_set: sorted and unique, erased while iterating") {
  SortedSet<std::pair<int, int>> set{{2, 1}, {1, 2}, {1, 1}, {2, 1}};
  CHECK(set.size() == 3);
  CHECK(*set.begin() == std::pair(1, 1));
  CHECK_FALSE(set.insert({1, 2}).second);
  for (auto at = set.begin(); at != set.end();) {
    if (at->first == 1) {
      at = set.erase(at);
    } else {
      ++at;
    }
  }
  CHECK(set == SortedSet<std::pair<int, int>>{{2, 1}});
  const std::vector<std::pair<int, int>> more{{0, 0}, {3, 3}};
  set.insert(more.begin(), more.end());
  CHECK(set.size() == 3);
  set.clear();
  CHECK(set.empty());
}
