// Each claim of a page is what explain(), stats() and profile() say.

#include <doctest/doctest.h>
#include <sinter/debug/report.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "debug/report/json_value.hpp"
#include "jit/support.hpp"

using namespace testing;

namespace {

namespace fs = std::filesystem;

// The facts in the page that report() writes of `function`.
template <class F>
Json reported(const Compiled<F>& function) {
  const fs::path path = fs::path(SINTER_TEST_DIR) / "report_test.html";
  report(function, path);
  std::ifstream stream(path);
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  fs::remove(path);
  return facts_in(page);
}

void check_stats(const Json& found, const Stats& stats) {
  CHECK(found["calls"].integer() == stats.calls);
  CHECK(found["recordings"].integer() == stats.recordings);
  CHECK(found["graphs"].integer() == stats.graphs);
  CHECK(found["breaks"].integer() == stats.breaks);
  CHECK(found["variants"].integer() == stats.variants);
  CHECK(found["recompiles"].integer() == stats.recompiles);
  CHECK(found["launches"].integer() == stats.launches);
  CHECK(found["bytes_read"].integer() == stats.bytes_read);
  CHECK(found["bytes_written"].integer() == stats.bytes_written);
  CHECK(found["peak_bytes"].integer() == stats.peak_bytes);
  CHECK(found["allocations"].integer() == stats.allocations);
  CHECK(found["kernels_compiled"].integer() == stats.kernels_compiled);
  CHECK(found["disk_hits"].integer() == stats.disk_hits);
  CHECK(found["compile_seconds"].number() == doctest::Approx(stats.compile_seconds));
  CHECK(found["interpreted"].integer() == stats.interpreted);
}

// The launches of the last call, in order, are the kernels of explain().
void check_kernels(const Json& facts, const Explanation& explanation) {
  std::size_t at = 0;
  for (const char* const list : {"programs", "derivatives"}) {
    for (const Json& number : facts["last"][list].list) {
      const Json& program = facts["programs"][static_cast<std::size_t>(number.integer())];
      if (!program.has("launches")) continue;
      for (const Json& launch : program["launches"].list) {
        REQUIRE(at < explanation.kernels.size());
        const KernelInfo& expected = explanation.kernels[at++];
        const auto kernel = static_cast<std::size_t>(launch["kernel"].integer());
        std::string texts;
        for (const Json& one : launch["kernels"].list) {
          const Json& text = program["kernels"][static_cast<std::size_t>(one.integer())]["text"];
          texts += facts["strings"][static_cast<std::size_t>(text.integer())].text;
        }
        CHECK(program["kernels"][kernel]["name"].text == expected.name);
        CHECK(launch["read"].integer() == expected.bytes_read);
        CHECK(launch["written"].integer() == expected.bytes_written);
        CHECK(texts == expected.source);
        REQUIRE(launch["lines"].list.size() == expected.lines.size());
        for (std::size_t i = 0; i < expected.lines.size(); ++i) {
          const auto line = static_cast<std::size_t>(launch["lines"][i].integer());
          CHECK(facts["strings"][line].text == to_string(expected.lines[i]));
        }
      }
    }
  }
  CHECK(at == explanation.kernels.size());
}

struct Net {
  nn::Linear first{6, 8};
  nn::Linear second{8, 3};
  SINTER_MODULE(Net, first, second)
  Tensor forward(const Tensor& x) const { return second(tanh(first(x))); }
};

}  // namespace

TEST_CASE("report: a training step, with dynamic sizes and a profile") {
  Net net;
  optim::SGD optimizer{.learning_rate = 0.1};
  auto step = compile(
      [](Net& model, optim::SGD& sgd, const Tensor& x, const Tensor& y) {
        auto [loss, gradients] = value_and_grad(model, [&] { return cross_entropy(model(x), y); });
        sgd.step(model, gradients);
        return loss;
      },
      {.name = "step"});
  const auto run = [&](std::int64_t batch) {
    step(net, optimizer, ones({batch, 6}), zeros({batch}, i64));
  };
  for (const std::int64_t batch : {4, 5, 7}) run(batch);
  const auto seen = profile([&] { run(7); }, {.calls = 3});
  const Json facts = reported(step);
  const Explanation explanation = step.explain();
  check_stats(facts["stats"], step.stats());
  check_kernels(facts, explanation);
  REQUIRE(facts["recordings"].list.size() == 2);
  CHECK(facts["recordings"][1]["reason"].text == explanation.recompiles.at(0));
  CHECK(facts["explanation"]["guards"].list.size() == explanation.guards.size());
  const Json& kernels = facts["profile"]["kernels"];
  REQUIRE(kernels.list.size() == seen.kernels.size());
  for (std::size_t i = 0; i < seen.kernels.size(); ++i) {
    CHECK(kernels[i]["name"].text == seen.kernels[i].name);
    CHECK(kernels[i]["runs"].integer() == seen.kernels[i].runs);
    CHECK(kernels[i]["seconds"].number() == doctest::Approx(seen.kernels[i].seconds));
    CHECK(kernels[i]["read"].integer() == seen.kernels[i].bytes_read);
  }
  const Json& program =
      facts["programs"][static_cast<std::size_t>(facts["last"]["programs"][0].integer())];
  CHECK(program["memory"]["arena"].integer() == step.stats().peak_bytes);
  std::string paths;
  for (const Json& node : program["recorded"]["nodes"].list) {
    paths += facts["strings"][static_cast<std::size_t>(node[5].integer())].text + ";";
  }
  CHECK(contains(paths, "second;"));
}

TEST_CASE("report: graph breaks have their lines and excerpts") {
  auto f = compile([](const Tensor& x) {
    Tensor y = x * 2.0f;
    if (sum(y) < 0) y = -y;
    graph_break("to look at it");
    return exp(y) + 1.0f;
  });
  f(ones({5}));
  f(ones({5}) * -1.0f);
  const Json facts = reported(f);
  const Explanation explanation = f.explain();
  check_stats(facts["stats"], f.stats());
  check_kernels(facts, explanation);
  const auto& breaks = facts["last"]["breaks"].list;
  REQUIRE(breaks.size() == explanation.breaks.size());
  REQUIRE(breaks.size() == 2);
  for (std::size_t i = 0; i < breaks.size(); ++i) {
    CHECK(breaks[i]["reason"].text == explanation.breaks[i].reason);
    CHECK(breaks[i]["fix"].text == explanation.breaks[i].fix);
    const auto line = static_cast<std::size_t>(breaks[i]["line"].integer());
    CHECK(facts["strings"][line].text == to_string(explanation.breaks[i].where));
  }
  const std::string file = explanation.breaks[1].where.file_name();
  REQUIRE(facts["sources"].has(file));
  bool has_line = false;
  for (const Json& line : facts["sources"][file].list) {
    has_line = has_line || contains(line[1].text, "graph_break(\"to look at it\")");
  }
  CHECK(has_line);
}

TEST_CASE("report: a function that was never called, an interpreted one, and a wrong path") {
  auto f = compile([](const Tensor& x) { return x + 1.0f; }, {.backend = Backend::eager});
  CHECK(reported(f)["recordings"].list.empty());
  f(ones({2}));
  const Json facts = reported(f);
  CHECK(facts["programs"][0]["interpreted"].text == "true");
  CHECK_FALSE(facts["programs"][0].has("launches"));
  const std::string message =
      message_of<IoError>([&] { report(f, "/nonexistent/folder/report.html"); });
  CHECK(contains(message, "/nonexistent/folder/report.html"));
  CHECK(contains(message, "report_test.cpp"));
}
