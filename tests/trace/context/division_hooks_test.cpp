// test: moved
#include "testing.hpp"

#include <sinter/trace/context/division_hooks.hpp>

using namespace testing;

namespace {

Division division(std::int32_t ranks) {
  return {.level = Division::Level::parameters, .ranks = ranks, .name = "w", .shape = {2, 5}};
}

}  // namespace

TEST_CASE("division: a part has the elements of the whole divided by the ranks, rounded up") {
  CHECK(part_size(division(1)) == 10);
  CHECK(part_size(division(4)) == 3);
  CHECK(part_size(division(16)) == 1);
  CHECK(is_part(zeros({3}), division(4)));
  CHECK_FALSE(is_part(zeros({4}), division(4)));
  CHECK_FALSE(is_part(zeros({2, 5}), division(1)));
  CHECK_FALSE(is_part(zeros({10}), {.ranks = 1, .shape = {10}}));  // it is the whole
}
