// test: moved
#include "testing.hpp"

#include <sinter/trace/context/division.hpp>
#include <sinter/trace/context/mark_dynamic.hpp>

using namespace testing;

namespace {

Division division(std::int32_t ranks) {
  return {.level = Division::Level::parameters, .ranks = ranks, .name = "w", .shape = {2, 5}};
}

}  // namespace

TEST_CASE("division: is set on a handle, beside other marks, and taken away") {
  Tensor x = zeros({2, 5});
  CHECK(division_of(x) == nullptr);
  set_division(x, nullptr);
  CHECK(x.marks() == nullptr);
  mark_dynamic(x, 0);
  const Division given = division(4);
  set_division(x, &given);
  REQUIRE(division_of(x) != nullptr);
  CHECK(division_of(x)->ranks == 4);
  set_division(x, division_of(x));
  CHECK(x.marks()->size() == 2);
  Tensor copy = x;
  set_division(x, nullptr);
  CHECK(x.marks()->size() == 1);
  CHECK(division_of(x) == nullptr);
  CHECK(division_of(copy)->name == "w");
}

TEST_CASE("division: the whole of what is not a part is itself") {
  Tensor x = zeros({2, 5});
  CHECK(whole_of(x, {}).lazy() == x.lazy());
  const Division given = division(4);
  set_division(x, &given);
  CHECK(whole_of(x, {}).lazy() == x.lazy());
}
