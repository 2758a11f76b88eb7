#include <doctest/doctest.h>
#include <sinter/base/container/hash_map.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "random_operations.hpp"

using sinter::detail::erase_if;
using sinter::detail::HashMap;
using sinter::detail::HashSet;

namespace {

/// All keys meet in one bucket.
struct Colliding {
  std::size_t operator()(int) const { return 5; }
};

template <class Map>
void compare_with_std(std::size_t steps) {
  std::unordered_map<int, std::string> expected;
  Map map;
  random_operations::run(map, expected, steps, [](int) {});
  std::size_t seen = 0;
  for (const auto& [key, value] : map) {
    CHECK(expected.at(key) == value);
    ++seen;
  }
  CHECK(seen == expected.size());
}

}  // namespace

TEST_CASE("hash_map: does what std::unordered_map does, over random operations") {
  compare_with_std<HashMap<int, std::string>>(20000);
  compare_with_std<HashMap<int, std::string, Colliding>>(3000);
}

TEST_CASE("hash_map: elements stay where they are, in the order of insertion") {
  HashMap<std::string, int> map;
  int& first = map["first"];
  for (int i = 0; i < 1000; ++i) map[std::to_string(i)] = i;
  first = 7;
  CHECK(map.at("first") == 7);
  CHECK(&map["first"] == &first);
  map.erase("0");
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  CHECK(keys.size() == 1000);
  CHECK(keys[0] == "first");
  CHECK(keys[1] == "1");
  CHECK(keys.back() == "999");
}

TEST_CASE("hash_map: copies are independent, moves leave nothing behind") {
  HashMap<int, std::string> a{{1, "one"}, {2, "two"}};
  HashMap<int, std::string> b = a;
  b[1] = "none";
  CHECK(a.at(1) == "one");
  const HashMap<int, std::string> c = std::move(b);
  CHECK(b.empty());
  CHECK(b.find(1) == b.end());
  CHECK(c.at(1) == "none");
  CHECK_THROWS_AS(c.at(3), std::out_of_range);
  a = c;
  a.clear();
  CHECK(a.empty());
  a[5] = "five";
  CHECK(a.size() == 1);
}

TEST_CASE("hash_map: owns values that cannot be copied") {
  HashMap<const void*, std::unique_ptr<int>> map;
  map[&map] = std::make_unique<int>(3);
  map.try_emplace(nullptr);
  CHECK(*map.at(&map) == 3);
  CHECK(map.at(nullptr) == nullptr);
}

TEST_CASE("hash_map: elements are erased while one iterates") {
  HashMap<int, int> map;
  for (int i = 0; i < 100; ++i) map[i] = i;
  CHECK(erase_if(map, [](const auto& each) { return each.second % 3 != 0; }) == 66);
  CHECK(map.size() == 34);
  HashSet<int> set;
  for (const auto& [key, value] : map) set.insert(key);
  for (auto at = set.begin(); at != set.end();) at = *at > 50 ? set.erase(at) : ++at;
  CHECK(set.size() == 17);
  CHECK(set.contains(48));
  CHECK(set.count(51) == 0);
  CHECK_FALSE(set.insert(48).second);
}

TEST_CASE("hash_map: an element that cannot be added leaves the others as they are") {
  struct Unlucky {
    explicit Unlucky(int number) {
      if (number < 0) throw std::runtime_error("negative");
    }
  };
  HashMap<int, Unlucky> map;
  map.reserve(100);
  for (int i = 0; i < 8; ++i) map.try_emplace(i, i);
  CHECK_THROWS_AS(map.try_emplace(8, -1), std::runtime_error);
  CHECK(map.size() == 8);
  CHECK_FALSE(map.contains(8));
  map.try_emplace(8, 8);
  CHECK(map.contains(8));
}
