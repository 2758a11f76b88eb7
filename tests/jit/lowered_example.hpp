#pragma once
// A small graph, and a function that runs its program.

#include <sinter/graph/builder.hpp>
#include <sinter/jit/lower/lower.hpp>

#include <vector>

#include "jit/support.hpp"

namespace testing {

/// exp(x) + 1 of `size` floats, recorded at `where`.
inline Graph example(Extent size, Where where = Where::current()) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {size}});
  const Value one = build.constant(constant(1.0f), {f32, {size}});
  graph.outputs = {build.elementwise(Op::add, {build.elementwise(Op::exp, {x}), one})};
  for (Node& node : graph.nodes) node.where = where;
  return graph;
}

/// The output of `program`, which has one input and one output, for `x`.
inline std::vector<float> run(const jit::Program& program, std::vector<float> x,
                              std::vector<std::int64_t> symbols = {}) {
  std::vector<float> result(x.size());
  void* const inputs[] = {x.data()};
  void* const outputs[] = {result.data()};
  program.run(inputs, outputs, symbols);
  return result;
}

}  // namespace testing
