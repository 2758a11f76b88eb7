// RankError is an error of the user, like others. dist.failures_8 has those that ranks throw.

#include <doctest/doctest.h>

#include <type_traits>

#include <sinter/dist/collective/rank_error.hpp>

#include "../world.hpp"

using namespace sinter;

TEST_CASE("rank error: it can be caught as a UserError") {
  static_assert(std::is_base_of_v<UserError, dist::RankError>);
  const dist::RankError error(
      {.op = "dist::barrier", .what = "a rank has failed", .facts = {{"why", "rank 1 ended"}}});
  CHECK(std::string(error.what()).find("rank 1 ended") != std::string::npos);
}
