// World: the ranks of this program.

#include <doctest/doctest.h>

#include "message_of.hpp"
#include "world.hpp"

using namespace sinter;
using namespace ranks;

TEST_CASE("world: ranks are numbered from 0 on") {
  CHECK(rank() >= 0);
  CHECK(rank() < size());
  const Tensor list = dist::all_gather(full({1}, number()));
  CHECK(difference(list, arange(size()).to(f32)) == 0);
}

TEST_CASE("world: a process has one") {
  world();
  CHECK_THROWS_AS(dist::World(), ValueError);
}
