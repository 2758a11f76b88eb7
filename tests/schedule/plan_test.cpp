#include <doctest/doctest.h>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/schedule/plan.hpp>

#include <cmath>

#include "execute.hpp"
#include "random_graph.hpp"

using namespace sinter;

namespace {

std::vector<Storage> random_inputs(const Graph& graph, std::span<const std::int64_t> symbols,
                                   unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<Storage> result;
  for (const NodeId id : graph.inputs) {
    const std::int64_t elements = evaluate(numel(graph[id].results[0].shape), symbols);
    result.push_back(Storage::allocate(static_cast<std::size_t>(elements) * 4));
    auto* data = static_cast<float*>(result.back().data());
    for (std::int64_t i = 0; i < elements; ++i) {
      data[i] = static_cast<float>(engine() % 2001) / 1000.0f - 1.0f;
    }
  }
  return result;
}

// The largest difference, in parts of the larger number or of one.
double difference(const Storage& expected, const execute::Block& found) {
  double worst = 0;
  const auto* numbers = static_cast<const float*>(expected.data());
  for (std::int64_t i = 0; i < found.elements; ++i) {
    const double a = numbers[i], b = found.load(i).floating();
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double off = std::abs(a - b) / std::max({1.0, std::abs(a), std::abs(b)});
    worst = std::isnan(off) ? 1.0 : std::max(worst, off);
  }
  return worst;
}

void check_against_interpreter(const Graph& graph, std::vector<std::int64_t> symbols,
                               unsigned seed) {
  const auto inputs = random_inputs(graph, symbols, seed);
  const auto expected = runtime::interpret(graph, inputs, symbols);
  const schedule::Plan plan = schedule::plan(graph, {});
  INFO(to_string(graph) << to_string(plan));
  schedule::verify(plan);

  execute::Call call{plan, inputs, symbols};
  REQUIRE(call.run());

  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("output " << i);
    CHECK(difference(expected[i], call.output(i)) < 2e-5);
  }
}

}  // namespace

TEST_CASE("plan: computes what the interpreter computes, on random graphs") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    random_graph::Maker maker(seed, {.operations = 4 + static_cast<int>(seed % 20)});
    check_against_interpreter(maker.make(), {}, seed);
  }
}

TEST_CASE("plan: computes what the interpreter computes, whatever the symbolic sizes are") {
  for (unsigned seed = 0; seed < 150; ++seed) {
    INFO("seed " << seed);
    random_graph::Maker maker(seed, {.symbolic = true, .operations = 4 + static_cast<int>(seed % 20)});
    const Graph graph = maker.make();
    for (const std::vector<std::int64_t>& symbols :
         {std::vector<std::int64_t>{4, 6}, {1, 5}, {7, 2}, {0, 3}}) {
      INFO("symbols " << text(symbols).c_str());
      check_against_interpreter(graph, symbols, seed);
    }
  }
}
