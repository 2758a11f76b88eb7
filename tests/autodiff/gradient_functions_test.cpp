#include <doctest/doctest.h>
#include <sinter/autodiff/gradient_functions.hpp>
#include <sinter/graph/builder.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("functions: they are those of the room once a value is differentiated") {
  autodiff::provide_gradient_functions();
  const autodiff::GradientFunctions* const functions = autodiff::gradient_functions().load();
  REQUIRE((functions != nullptr));
  Graph graph;
  Builder builder(graph);
  const Value x = builder.input({f32, {3}});
  graph.outputs = {builder.elementwise(Op::exp, {x})};
  CHECK(functions->varying_outputs(graph, {true}) == Vector<bool>{true});
  CHECK(functions->varying_outputs(graph, {false}) == Vector<bool>{false});
  const Value total = builder.reduce(Op::sum, graph.outputs[0], {0});
  const Vector<Value> gradients = functions->gradient(graph, total, {&x, 1});
  REQUIRE(gradients.size() == 1);
  CHECK(same(graph.type(gradients[0]), graph.type(x)));
}
