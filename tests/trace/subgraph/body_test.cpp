// test: moved
#include "testing.hpp"

#include <sinter/graph/builder.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/subgraph/body.hpp>
#include <sinter/trace/transform/grad.hpp>

using namespace testing;

namespace {

// The graph of `function`, called with variables of `types`.
template <class F>
Graph traced(F function, const Vector<TensorType>& types, std::vector<Tensor>& captured) {
  detail::Body body;
  {
    const detail::BodyScope scope(body);
    for (const TensorType& type : types) detail::add_variable(body, type, Where::current());
    body.results = {function(body.variables)};
  }
  Graph graph = detail::graph_of(body, captured);
  verify(graph);
  return graph;
}

using Variables = const std::vector<Tensor>&;

}  // namespace

TEST_CASE("body: is the graph of what it computed; what it uses from outside is an input") {
  const Tensor outside = vector({1, 2}) + vector({3, 4});
  std::vector<Tensor> captured;
  const Graph graph =
      traced([&](Variables x) { return exp(x[0]) * outside; }, {{f32, {2}}}, captured);
  CHECK(to_string(graph) ==
        "%0: f32[2] = input\n"
        "%1: f32[2] = exp %0\n"
        "%2: f32[2] = input\n"
        "%3: f32[2] = mul %1 %2\n"
        "return %3\n");
  REQUIRE(captured.size() == 1);
  CHECK(captured[0].lazy() == outside.lazy());
}

TEST_CASE("body: what was captured before has an input, used or not") {
  std::vector<Tensor> captured{vector({1, 2}), vector({5})};
  const Tensor& second = captured[1];
  const Graph graph = traced([&](Variables x) { return x[0] + second; }, {{f32, {1}}}, captured);
  CHECK(graph.inputs.size() == 3);
  CHECK(captured.size() == 2);
  Graph longer = graph;
  captured.push_back(vector({7, 8, 9}));
  detail::add_unused_inputs(longer, captured, 2);
  REQUIRE(longer.inputs.size() == 4);
  CHECK(to_string(longer.type(longer.inputs[3])) == "f32[3]");
}

TEST_CASE("body: values of the body itself are computed in it, also without its variables") {
  std::vector<Tensor> captured;
  const Tensor outside = vector({1, 2});
  const Graph graph = traced([&](Variables) { return exp(outside); }, {{f32, {2}}}, captured);
  CHECK(graph.nodes.back().op == Op::exp);
  REQUIRE(captured.size() == 1);
  CHECK(captured[0].lazy() == outside.lazy());
}

TEST_CASE("body: constants of outside are constants in it") {
  std::vector<Tensor> captured;
  const Tensor twos = full({2}, 2.0f);
  const Graph graph = traced([&](Variables x) { return x[0] * twos; }, {{f32, {2}}}, captured);
  CHECK(captured.empty());
  CHECK(graph.inputs.size() == 1);
}

TEST_CASE("body: what is detached in it stays detached") {
  std::vector<Tensor> captured;
  const Graph graph =
      traced([&](Variables x) { return x[0] * detach(x[0]); }, {{f32, {2}}}, captured);
  CHECK(to_string(graph).find("cast %0 detached=true") != std::string::npos);
}

TEST_CASE("body: gradients that are found in it are part of it") {
  std::vector<Tensor> captured;
  const auto square = [](const Tensor& x) { return x * x; };
  const Graph graph =
      traced([&](Variables x) { return grad(square)(x[0]); }, {{f32, {}}}, captured);
  CHECK(captured.empty());
  CHECK(graph.inputs.size() == 1);
}

TEST_CASE("body: elements cannot be read in it, those of outside neither") {
  const Tensor outside = vector({1});
  elements_of(outside);
  detail::Body body;
  const detail::BodyScope scope(body);
  const Tensor x = detail::add_variable(body, {f32, {}}, Where::current());
  MISTAKE(GraphBreakError, (x + 1.0f).item<float>(), "f32[]");
  MISTAKE(GraphBreakError, outside.item<float>(), "f32[1]");
}

TEST_CASE("body: bodies are numbered, and an inner one ends before the outer goes on") {
  CHECK(current_body == 0);
  detail::Body outer, inner;
  {
    const detail::BodyScope first(outer);
    {
      const detail::BodyScope second(inner);
      CHECK(current_body == inner.id);
      CHECK(inner.id > outer.id);
    }
    CHECK(current_body == outer.id);
  }
  CHECK(current_body == 0);
  const detail::BodyScope again(outer);
  CHECK(current_body == outer.id);
}

TEST_CASE("body: each result of control flow is a value with one result") {
  Graph branch;
  Builder builder(branch);
  const Value x = builder.input({f32, {2}});
  branch.outputs = {builder.neg(x), builder.add(x, x)};
  Node node{.op = Op::cond, .bodies = {branch, branch}};
  const std::vector<Tensor> operands{full({}, true), vector({1, 2})};
  const std::vector<Tensor> results = detail::record_all(node, operands, Where::current());
  REQUIRE(results.size() == 2);
  CHECK(results[1].lazy()->node.results.size() == 1);
  CHECK(near(results[1], {2, 4}));
  CHECK(near(results[0], {-1, -2}));
}
