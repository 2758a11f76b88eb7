// The names of collectives.

#include <doctest/doctest.h>

#include <sinter/dist/collective/kind.hpp>

#include "../world.hpp"

using namespace sinter::detail::collective;
using sinter::dist::Reduce;

TEST_CASE("kind: a collective is described by what ranks must agree on") {
  CHECK(op_of({.kind = Kind::all_gather}) == "dist::all_gather");
  CHECK(described({.kind = Kind::all_reduce, .reduce = Reduce::max}) == "all_reduce(max)");
  CHECK(described({.kind = Kind::reduce_scatter, .axis = 2}) == "reduce_scatter(axis 2, sum)");
  CHECK(described({.kind = Kind::all_to_all, .axis = 1}) == "all_to_all(axis 1)");
  CHECK(described({.kind = Kind::broadcast, .peer = 3}) == "broadcast(root 3)");
  CHECK(described({.kind = Kind::receive, .peer = 1}) == "recv(from 1)");
  CHECK(described({.kind = Kind::barrier}) == "barrier");
}
