// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/state/report.hpp>

#include "jit/support.hpp"

using namespace testing;

TEST_CASE("report: statistics cover the last call, and totals since compile()") {
  const auto f = compile([](const Tensor& x) { return sin(x); }, {.dynamic = Dynamic::on});
  CHECK(f.stats().calls == 0);
  CHECK(f.stats().kernels == 0);
  f(zeros({10}));
  CHECK(f.stats().bytes_read == 40);
  f(zeros({20}));
  const Stats stats = f.stats();
  CHECK(stats.calls == 2);
  CHECK(stats.recordings == 1);
  CHECK(stats.graphs == 1);
  CHECK(stats.breaks == 0);
  CHECK(stats.kernels == 1);
  CHECK(stats.bytes_read == 80);
  CHECK(stats.bytes_written == 80);
  CHECK(stats.allocations == 2);
  CHECK(stats.record_seconds > 0);
}

TEST_CASE("report: an interpreted graph is reported with the reason") {
  const auto f =
      compile([](const Tensor& x) { return sin(cos(x)); }, {.backend = Backend::aot_eager});
  f(zeros({10}));
  const Explanation explanation = f.explain();
  REQUIRE(explanation.graphs.size() == 1);
  CHECK(explanation.graphs[0].operations == 2);
  CHECK(explanation.graphs[0].interpreted == "Backend::aot_eager");
  CHECK(explanation.kernels.empty());
  CHECK(f.stats().launches == 0);
}
