// A rewrite that is installed sees each graph of the host before it is planned.

#include <doctest/doctest.h>

#include <utility>

#include <sinter/graph/builder.hpp>
#include <sinter/jit/rewrite/program_rewrite.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

namespace {

int seen = 0;

// Doubles the first output, which is of one element.
detail::Graph doubles(detail::Graph graph) {
  ++seen;
  detail::Builder builder(graph);
  const detail::Value y = graph.outputs[0];
  graph.outputs[0] = builder.add(y, y);
  return graph;
}

}  // namespace

TEST_CASE("program rewrite: what is planned is what it returns") {
  detail::jit::program_rewrite() = doubles;
  const auto f = compile([](const Tensor& x) { return x * 3 + 0.125f; });
  const float y = f(ones({})).item<float>();
  detail::jit::program_rewrite() = nullptr;
  CHECK(y == 6.25f);
  CHECK(seen == 1);
  CHECK(compile([](const Tensor& x) { return x * 5 + 0.125f; })(ones({})).item<float>() == 5.125f);
  CHECK(seen == 1);
}
