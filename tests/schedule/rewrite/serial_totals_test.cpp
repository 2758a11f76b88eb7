#include <doctest/doctest.h>
#include <sinter/schedule/rewrite/serial_totals.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

// Whether the sum of an input is a serial total. The program also applies `functions` sines to the
// input; if the result `depends` on the sum, it is divided by it.
bool is_serial(std::int64_t elements, int functions, bool depends) {
  Program p;
  const Value x = p.input({elements});
  const Value total = p.build.reduce(Op::sum, x, {0});
  Value y = x;
  for (int i = 0; i < functions; ++i) y = p.apply(Op::sin, y);
  if (depends) y = p.build.div(y, p.broadcast(total, {elements}));
  p.graph.outputs = {y, total};
  return schedule::detail::SerialTotals{p.graph, {}}.is_serial(total.node);
}

}  // namespace

TEST_CASE("serial_totals: a sum that is cheap compared with its consumers comes first") {
  CHECK(is_serial(4096, 8, true));
  CHECK_FALSE(is_serial(4096, 0, true));     // the sum is most of the work
  CHECK_FALSE(is_serial(4096, 8, false));    // nothing waits for it
  CHECK_FALSE(is_serial(1 << 20, 8, true));  // too long for one thread
}
