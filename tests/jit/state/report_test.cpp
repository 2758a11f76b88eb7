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

TEST_CASE("report: calls that record count their phases, later calls nothing") {
  const auto f = compile([](const Tensor& x) { return sin(x) + 1; });
  const Tensor x = randn({10});
  f(x);
  const Stats first = f.stats();
  for (const double seconds :
       {first.record_seconds, first.initialize_seconds, first.pass_seconds, first.plan_seconds,
        first.emit_seconds, first.compile_seconds, first.first_run_seconds}) {
    CHECK(seconds > 0);
  }
  f(x);
  CHECK(f.stats().record_seconds == first.record_seconds);
  CHECK(f.stats().first_run_seconds == first.first_run_seconds);
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

namespace {

struct Wide {
  nn::Linear up{64, 256}, down{256, 64};
  SINTER_MODULE(Wide, up, down)
  Tensor forward(const Tensor& x) const { return down(relu(up(x))); }
};

struct Model {
  Wide wide{};
  nn::Linear head{64, 4};
  SINTER_MODULE(Model, wide, head)
  Tensor forward(const Tensor& x) const { return tanh(head(wide(x))); }
};

const RegionInfo* region(const Explanation& explanation, const std::string& name) {
  for (const RegionInfo& one : explanation.regions) {
    if (contains(one.name, name)) return &one;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("report: regions are ranked by cost, modules by name") {
  const Model model;
  const auto f = compile(model);
  f(randn({128, 64}));
  const Explanation explanation = f.explain();
  REQUIRE(explanation.regions.size() >= 3);
  const RegionInfo* const up = region(explanation, "wide.up");
  const RegionInfo* const head = region(explanation, "head");
  REQUIRE(up != nullptr);
  REQUIRE(head != nullptr);
  CHECK(up->flops >= 2 * 128 * 64 * 256);
  CHECK(up->flops < 2.1 * 128 * 64 * 256);
  CHECK(up->share > 3 * head->share);
  CHECK(up->kernels >= 1);
  double total = 0, last = 1;
  std::int64_t bytes = 0;
  for (const RegionInfo& one : explanation.regions) {
    CHECK(one.share <= last);
    total += one.share, last = one.share, bytes += one.bytes;
  }
  CHECK(total == doctest::Approx(1));
  const Stats stats = f.stats();
  CHECK(bytes <= stats.bytes_read + stats.bytes_written);
  CHECK(bytes > (stats.bytes_read + stats.bytes_written) / 2);
  const std::string told = to_string(explanation);
  INFO(told);
  CHECK(contains(told, "regions, the most expensive first\n  "));
  CHECK(contains(told, " %  wide.up: "));
  CHECK(contains(to_json(explanation), "\"regions\": [{\"name\": \"wide."));
}

TEST_CASE("report: regions outside of modules are lines; sizes are those of the call") {
  const auto f = compile([](const Tensor& x) { return exp(x); }, {.dynamic = Dynamic::on});
  f(zeros({100}));
  REQUIRE(f.explain().regions.size() == 1);
  CHECK(contains(f.explain().regions[0].name, "report_test.cpp:"));
  CHECK(f.explain().regions[0].flops == 1600);
  CHECK(f.explain().regions[0].bytes == 800);
  f(zeros({200}));
  CHECK(f.explain().regions[0].flops == 3200);
  const auto looped = compile(
      [](const Tensor& x) {
        return scan([](const Tensor& c, const Tensor& row) { return std::pair(c + row, c); }, x[0],
                    x)
            .first;
      },
      {.backend = Backend::eager});
  looped(zeros({10, 7}));
  std::int64_t flops = 0;
  for (const RegionInfo& one : looped.explain().regions) flops += one.flops;
  CHECK(flops == 70);
}

TEST_CASE("report: graphs have the time that compiling them took") {
  const ScopedFreshCache fresh;
  const auto f = compile([](const Tensor& x) { return exp(x) * 3.5f; });
  f(zeros({3}));
  CHECK(f.explain().graphs.at(0).compile_seconds > 0);
  CHECK(contains(to_string(f.explain()), "compiled in "));
  const auto g = compile([](const Tensor& x) { return sum(exp(x)).item<float>() > 0 ? x : -x; });
  said([&] { g(zeros({3})); });
  CHECK(g.explain().graphs.at(0).compile_seconds > 0);
}

TEST_CASE("history: variants with their reasons and calls") {
  auto f =
      compile([](const Tensor& x) { return x + 1.0f; }, {.dynamic = Dynamic::off, .name = "f"});
  f(ones({2}));
  f(ones({3}));
  f(ones({2}));
  const jit::History history = f.state()->history();
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
  const jit::History history = f.state()->history();
  REQUIRE(history.traced.size() == 2);
  CHECK(history.traced[0].reason.empty());
  CHECK(history.traced[1].reason == history.explanation.recompiles.at(0));
  CHECK(history.traced[0].report.segments.size() == 2);
  CHECK(history.traced[0].report.breaks.at(0).reason == "on purpose");
}
