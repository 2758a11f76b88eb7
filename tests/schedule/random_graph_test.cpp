#include <doctest/doctest.h>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/ir/plan.hpp>

#include "against_interpreter.hpp"
#include "random_graph.hpp"

using namespace sinter;
using namespace sinter::detail;
using against_interpreter::Symbols;
using random_graph::Maker;

namespace {

int operations(unsigned seed) { return 4 + static_cast<int>(seed % 40); }

// For each input the first unused output of its type.
Vector<schedule::Update> updates_of(const Graph& graph) {
  Vector<schedule::Update> result;
  Vector<bool> taken(graph.outputs.size(), false);
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    for (std::size_t j = 0; j < graph.outputs.size(); ++j) {
      if (taken[j] || !same(graph.type(graph.outputs[j]), graph.type(graph.inputs[i]))) continue;
      taken[j] = true;
      result.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
      break;
    }
  }
  return result;
}

}  // namespace

TEST_CASE("plan: agrees with the interpreter, on random graphs") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    const Graph graph = Maker(seed, {.operations = operations(seed)}).make();
    against_interpreter::check(graph, {}, seed);
    against_interpreter::check(graph, {}, seed, {.target = schedule::host_target()});
  }
}

TEST_CASE("plan: agrees with the interpreter, for all values of symbolic sizes") {
  for (unsigned seed = 0; seed < 80; ++seed) {
    INFO("seed " << seed);
    const Graph graph = Maker(seed, {.symbolic = true, .operations = operations(seed)}).make();
    for (const Symbols& symbols : {Symbols{4, 6}, Symbols{1, 5}, Symbols{7, 2}, Symbols{0, 3}}) {
      INFO("sizes " << symbols[0] << " and " << symbols[1]);
      against_interpreter::check(
          graph, symbols, seed,
          {.target = symbols[0] % 2 == 1 ? schedule::host_target() : schedule::Target()});
    }
  }
}

TEST_CASE("plan: is correct if updated outputs share the memory of their inputs") {
  for (unsigned seed = 1000; seed < 1300; ++seed) {
    INFO("seed " << seed);
    const Graph graph = Maker(seed, {.operations = operations(seed)}).make();
    against_interpreter::check(
        graph, {}, seed,
        {.updates = updates_of(graph),
         .target = seed % 2 == 0 ? schedule::host_target() : schedule::Target()});
  }
}
