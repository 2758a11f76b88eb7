#include <doctest/doctest.h>
#include <sinter/debug/report/graph_facts.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/jit/state/state.hpp>

#include "debug/report/json_value.hpp"
#include "jit/support.hpp"

using namespace testing;
using namespace sinter::detail::debug;

TEST_CASE("report graph: nodes with operands, names, lines and kernels") {
  auto f = compile([](const Tensor& x) { return sum(exp(x) * 2.0f); });
  f(ones({4}));
  const jit::History history = f.state()->history();
  const Graph& graph = history.variants.at(0)->recording.graph;
  StringTable strings;
  Vector<Vector<std::int32_t>> kernels(graph.nodes.size());
  kernels[graph.outputs[0].node].push_back(7);
  const Json read = JsonReader::value(
      graph_json(graph, {.inputs = {"x"}, .outputs = {"result"}}, strings, &kernels) + "\n");
  REQUIRE(read["nodes"].list.size() == graph.nodes.size());
  const Json& input = read["nodes"][graph.inputs[0]];
  CHECK(input[0].text == "input");
  CHECK(input[1].text == "f32[4]");
  CHECK(input[8].text == "x");
  const Json& output = read["nodes"][graph.outputs[0].node];
  CHECK(output[0].text == "sum");
  CHECK(contains(output[3].text, "axes=[0]"));
  CHECK(contains(strings.list().at(static_cast<std::size_t>(output[4].integer())),
                 "graph_facts_test.cpp:"));
  CHECK(output[7][0].integer() == 7);
  CHECK(static_cast<std::size_t>(output[2][0].integer()) ==
        graph[graph.outputs[0].node].inputs[0].node);
  CHECK(read["outputs"][0][0].integer() == graph.outputs[0].node);
  CHECK(read["outputs"][0][1].text == "result");
}
