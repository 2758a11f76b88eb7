#include <doctest/doctest.h>

#include <vector>

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/jit/eager/steps.hpp>
#include <sinter/jit/state/callee.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

// (x + x, x * x) of any length.
SharedPtr<const Callee> two_results() {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {3}});
  graph.outputs = {build.add(x, x), build.mul(x, x)};
  return make_shared_ptr<jit::CompiledCallee>(std::move(graph), jit::LowerOptions(),
                                              WeakPtr<jit::State>());
}

}  // namespace

TEST_CASE("steps: operations between calls are evaluated once per level") {
  Graph graph;
  {
    Builder build(graph);
    const Value x = build.input({f32, {3}});
    const Value before = build.neg(x);
    Node first = call_of(two_results(), {});
    first.inputs = {before};
    const NodeId one = build.append(std::move(first));
    const Value between = build.add({one, 0}, {one, 1});
    Node second = call_of(two_results(), {});
    second.inputs = {between};
    const NodeId other = build.append(std::move(second));
    graph.outputs = {build.add({other, 1}, before), between, {one, 0}};
  }
  CHECK(jit::has_calls(graph));
  const Tensor x = from_vector(std::vector<float>{1, 2, 3}, {3});
  const Vector<Storage> inputs{elements_of(x)};
  int evaluations = 0;
  const auto evaluate = [&](const Graph& part, std::span<const Storage> given) {
    CHECK(!jit::has_calls(part));
    ++evaluations;
    return runtime::interpret(part, given);
  };
  const Vector<Storage> results = jit::GraphSteps(graph).run(inputs, cpu(), evaluate);
  CHECK(evaluations == 3);
  const auto* const last = static_cast<const float*>(results[0].data());
  const auto* const between = static_cast<const float*>(results[1].data());
  for (int i = 0; i < 3; ++i) {
    const auto v = static_cast<float>(i + 1);
    CHECK(between[i] == -2 * v + v * v);
    CHECK(last[i] == between[i] * between[i] - v);
  }
}
