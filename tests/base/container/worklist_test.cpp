#include <doctest/doctest.h>
#include <sinter/base/container/worklist.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("worklist: each key is once, in the order of its first addition") {
  Worklist<int> list{3, 1, 3};
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] < 6) list.add(list[i] + 2);
  }
  Vector<int> seen;
  for (std::size_t i = 0; i < list.size(); ++i) seen.push_back(list[i]);
  CHECK(seen == Vector<int>{3, 1, 5, 7});
}

TEST_CASE("worklist: a topological order takes the least key that may be next") {
  const Vector<Vector<std::size_t>> successors{{2}, {2, 2}, {}, {}};
  CHECK(topological_order(successors, Vector<int>{5, 1, 0, 3}) == Vector<std::size_t>{1, 3, 0, 2});
  CHECK(topological_order(successors, Vector<int>{0, 0, 0, 0}) == Vector<std::size_t>{0, 1, 2, 3});
}

TEST_CASE("worklist: positions that depend on each other have no place in a topological order") {
  CHECK(topological_order({{1}, {0}, {}}, Vector<int>{0, 0, 0}) == Vector<std::size_t>{2});
}
