#include <doctest/doctest.h>
#include <sinter/pass/match.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("match: numbers are those of constants, and 0 is not -0") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2}});
  const Value zero = build.constant_like(x, 0), half = build.constant_like(x, 0.5);

  CHECK_FALSE(pass::number_of(build, x).has_value());
  CHECK(pass::number_of(build, half) == constant(0.5, f32));
  CHECK(pass::is_number(build, zero, 0));
  CHECK_FALSE(pass::is_number(build, zero, -0.0));
  CHECK_FALSE(pass::is_number(build, x, 0));
}

TEST_CASE("match: input_of looks through one operation, if it is the one") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2}}), y = build.neg(x);

  CHECK(pass::input_of(build, y, Op::neg) == x);
  CHECK_FALSE(pass::input_of(build, y, Op::abs).has_value());
  CHECK_FALSE(pass::input_of(build, x, Op::neg).has_value());
  CHECK(&pass::maker(build, y) == &graph[y.node]);
}

TEST_CASE("match: all_are compares extents as expressions") {
  const Extent n = Extent::symbol(0);
  CHECK(pass::all_are({0, n - n}, 0));
  CHECK_FALSE(pass::all_are({0, n}, 0));
  CHECK(pass::all_are({}, 7));
}
