// A watch sees each node of a graph and of its bodies, with operands and results.

#include <doctest/doctest.h>

#include <sinter/graph/builder.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Names final : runtime::NodeWatch {
  Names() { runtime::node_watch = this; }
  ~Names() override { runtime::node_watch = nullptr; }
  void evaluated(const Graph& graph, NodeId id, Span<const runtime::interpreter::Array> inputs,
                 Span<const runtime::interpreter::Array> results) override {
    text += std::string(info(graph[id].op).name) + " ";
    CHECK(inputs.size() == graph[id].inputs.size());
    CHECK(results.size() == graph[id].results.size());
  }
  std::string text{};
};

}  // namespace

TEST_CASE("node_watch: nodes in order, those of bodies first") {
  Graph body;
  Builder inside(body);
  body.outputs = {inside.elementwise(Op::exp, {inside.input({f32, {}})})};
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {}});
  const NodeId call = build.append({.op = Op::call, .inputs = {x}, .bodies = {body}});
  graph.outputs = {build.elementwise(Op::neg, {Value(call)})};
  const Storage one = Storage::allocate(4);
  *static_cast<float*>(one.data()) = 1;
  const Names names;
  runtime::interpret(graph, {&one, 1});
  CHECK(names.text == "exp call neg ");
}
