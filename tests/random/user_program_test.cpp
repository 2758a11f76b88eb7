// Random programs in the language of users: compiled functions give what plain ones do.

#include <doctest/doctest.h>

#include "user_program_check.hpp"

using namespace user_program;

TEST_CASE("user programs: recorded and interpreted, they give what they give plain") {
  check_all("interpreted", Backend::aot_eager, cpu(), 200, 1);
}

TEST_CASE("user programs: fused, they give what they give plain") {
  check_all("fused", Backend::fused, cpu(), 24, 1000);
}
