#include <doctest/doctest.h>
#include <sinter/sinter.hpp>
#include <sinter/trace/subgraph/called_value.hpp>

#include <vector>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("called_value: the graph has the value, the variables and what is known as outputs") {
  const Tensor x = from_vector(std::vector<float>{1, 2}, {2});
  const Tensor y = from_vector(std::vector<float>{3, 4}, {2});
  const Tensor value = sum(x * y * 0.5f);
  const std::vector<Tensor> variables{x};
  const CalledValue called(value, variables);
  CHECK(called.is_complete());
  CHECK(called.variable_count() == 1);
  REQUIRE(called.known().size() == 2);  // x and y
  CHECK(called.known()[0] == &x.lazy()->elements[0]);
  CHECK(called.known()[1] == &y.lazy()->elements[0]);
  REQUIRE(called.key().numbers().size() == 1);

  const Graph graph = called.graph({false});
  CHECK(graph.inputs.size() == 2);
  CHECK(graph.outputs.size() == 4);
  CHECK(graph[graph.outputs[0].node].op == Op::sum);
  CHECK(graph.outputs[1] == Value(graph.inputs[0]));

  const Graph lifted = called.graph({true});
  CHECK(lifted.inputs.size() == 3);
  REQUIRE(lifted.outputs.size() == 5);
  CHECK(lifted.type(lifted.outputs[4]).shape.empty());
  CHECK(lifted[lifted.outputs[4].node].op == Op::input);
}

TEST_CASE("called_value: nothing is computed at once where no compiled function was called") {
  const Tensor x = from_vector(std::vector<float>{1, 2}, {2});
  CHECK(gradients_of_calls(sum(x * x), {x}).empty());
  CHECK(grad([](const Tensor& v) { return sum(v * v); })(x).to_vector<float>() ==
        std::vector<float>{2, 4});
}
