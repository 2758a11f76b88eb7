#include <doctest/doctest.h>
#include <sinter/jit/eager/custom_text.hpp>

#include "custom_graphs.hpp"

using namespace custom_graphs;

TEST_CASE("custom_text: a node that only has a text is compiled alone") {
  const NoChecks plain;
  for (const char* const text : {"float f(float x) { return 3 * x; }",
                                 "void f(const float* x, float* y, long n) {\n"
                                 "  for (long i = 0; i < n; ++i) y[i] = 3 * x[i];\n}"}) {
    const Graph graph = graph_of(code(text, ""), false);
    const Storage x = Storage::allocate(16);
    for (int i = 0; i < 4; ++i) static_cast<float*>(x.data())[i] = static_cast<float>(i);
    const TensorType type{f32, {4}};
    const auto outputs = jit::evaluate_custom_text(graph[graph.outputs[0].node], {&type, 1},
                                                   {&x, 1}, [](Extent) { return 0; });
    REQUIRE(outputs.size() == 1);
    CHECK(static_cast<const float*>(outputs[0].data())[3] == 9);
  }
}
