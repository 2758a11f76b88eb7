#include <doctest/doctest.h>
#include <sinter/schedule/rewrite/serial_totals.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

// Whether one thread has the sum of an input first, of which `functions` are computed as well; the
// result of the last of them is divided by the sum if it `waits`.
bool is_first(std::int64_t elements, int functions, bool waits) {
  Program p;
  const Value x = p.input({elements});
  const Value total = p.build.reduce(Op::sum, x, {0});
  Value y = x;
  for (int i = 0; i < functions; ++i) y = p.apply(Op::sin, y);
  if (waits) y = p.build.div(y, p.broadcast(total, {elements}));
  p.graph.outputs = {y, total};
  return schedule::detail::TotalFinder{p.graph}.is_first(total.node);
}

}  // namespace

TEST_CASE("serial totals: a sum that is little beside what waits for it comes first") {
  CHECK(is_first(4096, 8, true));
  CHECK_FALSE(is_first(4096, 0, true));     // it is most of the work
  CHECK_FALSE(is_first(4096, 8, false));    // nothing waits for it
  CHECK_FALSE(is_first(1 << 20, 8, true));  // too long for one thread
}
