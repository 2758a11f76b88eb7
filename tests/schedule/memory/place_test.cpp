#include <doctest/doctest.h>
#include <sinter/schedule/memory/place.hpp>
#include <sinter/schedule/plan.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE("place: what the target allows decides whether outputs hold intermediate values") {
  Program p;
  const Value x = p.input({64, 64});
  const DotAxes axes{.lhs_contract = {1}, .rhs_contract = {1}};
  const Value once = p.build.dot_general(x, x, axes);
  p.graph.outputs = {p.build.dot_general(p.build.dot_general(once, x, axes), x, axes)};
  std::int64_t bytes[2];
  for (const bool reuses : {false, true}) {
    Options options;
    options.target.reuses_outputs = reuses;
    Plan plan = plan_kernels(p.graph, options);
    CHECK(same(plan.arena_bytes, 0));
    place(plan, options);
    bytes[reuses] = plan.arena_bytes.number();
  }
  CHECK(bytes[0] == 2 * 64 * 64 * 4);
  CHECK(bytes[1] == 64 * 64 * 4);
}
