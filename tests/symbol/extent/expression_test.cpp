#include <doctest/doctest.h>
#include <sinter/symbol/extent/expression.hpp>

#include <sinter/symbol/extent/extent.hpp>
#include <unordered_map>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("expression: extents are keys of unordered containers, by structure") {
  std::unordered_map<Extent, int, HashOfExtent, SameExtent> map;
  map[Extent::symbol(0) + 1] = 1;
  map[1 + Extent::symbol(0)] += 1;
  map[Extent::symbol(0)] = 5;
  map[3] = 7;
  CHECK(map.size() == 3);
  CHECK(map.at(Extent::symbol(0) + 1) == 2);
  CHECK(map.at(3) == 7);
}

TEST_CASE("expression: numbers have no node") {
  CHECK(Extent(3).node() == nullptr);
  CHECK(Extent::of(Extent::symbol(4).node()).id() == 4);
}
