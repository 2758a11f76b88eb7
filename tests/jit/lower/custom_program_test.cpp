#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/jit/lower/custom_program.hpp>

#include "jit/support.hpp"

using namespace testing;

namespace {

// y = x * 2, and x itself.
Graph two_outputs() {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.input({f32, {3}});
  graph.outputs = {builder.elementwise(Op::add, {x, x}), x};
  return graph;
}

jit::LoweredProgram lowered_by(GraphCompiler compiler) {
  return jit::UserBackend("given", std::move(compiler)).lower(two_outputs(), {});
}

}  // namespace

TEST_CASE("custom_program: runs on the memory of the call, even if an output is an input") {
  const jit::LoweredProgram lowered = lowered_by([](const GraphView& graph) -> GraphFunction {
    return [graph](std::span<const Tensor> inputs) { return graph.interpret(inputs); };
  });
  CHECK(lowered.work.seconds > 0);
  CHECK_FALSE(lowered.program->is_interpreted());
  CHECK(lowered.program->plan() == nullptr);
  float x[3] = {1, 2, 3}, copy[3] = {0, 0, 0};
  void* const inputs[] = {x};
  void* const outputs[] = {x, copy};  // the first output updates the input
  lowered.program->run(inputs, outputs, {});
  CHECK(x[2] == 6);
  CHECK(copy[2] == 3);
}

TEST_CASE("custom_program: results are compared with the types of the graph") {
  const jit::LoweredProgram lowered = lowered_by([](const GraphView&) -> GraphFunction {
    return [](std::span<const Tensor> inputs) {
      return std::vector<Tensor>{inputs[0].to(f64), inputs[0]};
    };
  });
  float x[3] = {1, 2, 3}, y[3], z[3];
  void* const inputs[] = {x};
  void* const outputs[] = {y, z};
  const std::string told =
      message_of<ValueError>([&] { lowered.program->run(inputs, outputs, {}); });
  CHECK(contains(told, "expected f32[3]"));
  CHECK(contains(told, "f64[3]"));
}

TEST_CASE("custom_program: a backend that throws is named with its graph") {
  const auto lower = [] {
    lowered_by([](const GraphView&) -> GraphFunction {
      throw std::runtime_error("no memory for tables");
    });
  };
  CHECK(contains(message_of<ValueError>(lower), "the backend given failed with a graph"));
  CHECK(contains(message_of<ValueError>(lower), "no memory for tables"));
  CHECK(contains(message_of<ValueError>(lower), "1 operation"));
}
