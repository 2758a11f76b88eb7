#pragma once
// Random operations on a map of the library and on the one of the standard that it stands for.

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <string>

namespace random_operations {

/// Does the same `steps` operations to `map` and `expected`, and calls `check` after each, with the
/// key of the operation.
template <class Map, class Expected, class Check>
void run(Map& map, Expected& expected, std::size_t steps, const Check& check) {
  std::mt19937 random(3);
  for (std::size_t step = 0; step < steps; ++step) {
    const int key = static_cast<int>(random() % 200);
    const std::string value = std::to_string(step);
    switch (random() % 6) {
      case 0:
        expected[key] = value, map[key] = value;
        break;
      case 1:
        CHECK(expected.emplace(key, value).second == map.emplace(key, value).second);
        break;
      case 2: {
        const auto [at, is_new] = map.try_emplace(key, value);
        CHECK(expected.try_emplace(key, value).second == is_new);
        CHECK(at->second == expected.at(key));
        break;
      }
      case 3:
        expected.insert_or_assign(key, value), map.insert_or_assign(key, value);
        break;
      case 4:
        CHECK(expected.erase(key) == map.erase(key));
        break;
      default:
        CHECK(expected.contains(key) == map.contains(key));
        CHECK((expected.find(key) == expected.end()) == (map.find(key) == map.end()));
    }
    REQUIRE(map.size() == expected.size());
    check(key);
  }
}

}  // namespace random_operations
