#pragma once
// Graphs of one custom operation.

#include <string>
#include <utility>

#include <sinter/graph/builder.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/custom/user_text.hpp>

namespace custom_graphs {

using namespace sinter;
using namespace sinter::detail;

/// Without what SINTER_CHECK adds.
struct NoChecks {
  NoChecks() : before(std::exchange(checks_custom(), false)) {}
  ~NoChecks() { checks_custom() = before; }
  bool before;
};

inline CustomCode code(std::string cpp, std::string cuda) {
  CustomCode result{.name = "test::f", .cpp = std::move(cpp), .cuda = std::move(cuda)};
  result.cpp_function = user_function(result.cpp, "f");
  result.cuda_function = user_function(result.cuda, "f");
  result.text_hash = result.identity = Hasher().add(result.cpp).add(result.cuda).result();
  return result;
}

/// Of 4 numbers; the reference is exp.
inline Graph graph_of(const CustomCode& code, bool has_reference, DType dtype = f32,
                      DType result = f32) {
  Graph graph;
  Builder build(graph);
  const TensorType type{dtype, {4}};
  const SharedPtr<const CustomCode> shared = make_shared_ptr<const CustomCode>(code);
  Node node{.op = Op::custom,
            .inputs = {build.input(type)},
            .attributes = {{"code", shared}, {"operands", constant(1)}},
            .results = {{dtype == f16 ? f16 : result, {4}}}};
  if (has_reference) {
    Graph body;
    Builder reference(body);
    body.outputs = {reference.elementwise(Op::exp, {reference.input(type)})};
    node.bodies = {body};
  }
  graph.outputs = {build.append(std::move(node))};
  return graph;
}

inline int count(const Graph& graph, Op op) {
  int result = 0;
  for (const Node& node : graph.nodes) result += node.op == op;
  return result;
}

}  // namespace custom_graphs
