#include <doctest/doctest.h>
#include <sinter/base/container/keyed_table.hpp>

#include <string>

using namespace sinter::detail;

TEST_CASE("keyed_table: an entry is compared, unpacked and known by its key") {
  const MapEntry<int, std::string> entry{3, "three"};
  const auto& [key, value] = entry;
  CHECK(key == 3);
  CHECK(value == "three");
  CHECK(entry == MapEntry<int, std::string>{3, "three"});
  CHECK_FALSE(entry == MapEntry<int, std::string>{3, "four"});
  CHECK(key_of_element(entry) == 3);
  CHECK(key_of_element(std::string("a")) == "a");
}
