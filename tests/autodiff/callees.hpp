#pragma once
// A call of a graph that has a program of its own, for tests of its gradient and its batch.

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/callee.hpp>

#include <utility>

namespace callees {

using namespace sinter;
using namespace sinter::detail;

class Plain : public Callee {
 public:
  using Callee::Callee;
  SharedPtr<const Callee> with(Graph graph) const override {
    return make_shared_ptr<Plain>(std::move(graph));
  }
};

// x, y -> exp(x) * y, and exp(x), which is kept.
inline SharedPtr<const Callee> example() {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {3}}), y = build.input({f32, {3}});
  const Value e = build.elementwise(Op::exp, {x});
  graph.outputs = {build.mul(e, y), e};
  return make_shared_ptr<Plain>(std::move(graph));
}

struct Call {
  Graph graph{};
  NodeId id = 0;
};

inline Call call_of_example() {
  Call result;
  Builder build(result.graph);
  Node node = call_of(example(), {});
  const Value x = build.input({f32, {3}}), y = build.input({f32, {3}});
  node.inputs = {x, y};
  result.id = build.append(std::move(node));
  result.graph.outputs = {{result.id, 0}};
  return result;
}

}  // namespace callees
