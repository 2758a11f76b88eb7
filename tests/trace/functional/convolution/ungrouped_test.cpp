// test: moved
#include <sinter/graph/print.hpp>
#include <sinter/trace/functional/convolution/convolution.hpp>
#include <sinter/trace/functional/convolution/ungrouped.hpp>
#include <sinter/trace/subgraph/body.hpp>

#include "numerical_gradients.hpp"

using namespace testing;

TEST_CASE("convolve_whole: positions are the last axes of the product, as of the result") {
  detail::Body body;
  {
    const detail::BodyScope scope(body);
    detail::add_variable(body, {f32, {2, 16, 9, 8}}, Where::current());
    detail::add_variable(body, {f32, {5, 16, 1, 1}}, Where::current());
    body.results = {conv2d(body.variables[0], body.variables[1], {.stride = 2})};
  }
  std::vector<Tensor> captured;
  const std::string graph = to_string(detail::graph_of(body, captured));
  CHECK(graph.find(": f32[5, 2, 5, 4] = dot_general ") != std::string::npos);
}
