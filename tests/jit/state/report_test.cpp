// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/state/report.hpp>
#include <sinter/jit/state/state.hpp>

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

TEST_CASE("history: variants with their reasons and calls") {
  auto f =
      compile([](const Tensor& x) { return x + 1.0f; }, {.dynamic = Dynamic::off, .name = "f"});
  f(ones({2}));
  f(ones({3}));
  f(ones({2}));
  const jit::History history = f.state().history();
  REQUIRE(history.variants.size() == 2);
  CHECK(history.name == "f");
  CHECK(history.variants[0]->use->reason.empty());
  CHECK(history.variants[0]->use->calls == 2);
  CHECK(history.variants[1]->use->reason == history.explanation.recompiles.at(0));
  CHECK(history.variants[1]->use->calls == 1);
  CHECK(history.last.variant == history.variants[0]);
  CHECK(history.stats.calls == 3);
}

TEST_CASE("history: traced calls that compiled something") {
  auto f = compile([](const Tensor& x) {
    const Tensor y = x + 1.0f;
    graph_break("on purpose");
    return y * 2.0f;
  });
  for (const int size : {2, 2, 3}) f(ones({size}));
  const jit::History history = f.state().history();
  REQUIRE(history.traced.size() == 2);
  CHECK(history.traced[0].reason.empty());
  CHECK(history.traced[1].reason == history.explanation.recompiles.at(0));
  CHECK(history.traced[0].report.segments.size() == 2);
  CHECK(history.traced[0].report.breaks.at(0).reason == "on purpose");
}
