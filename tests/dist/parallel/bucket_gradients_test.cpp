// Buckets: which gradients share one, and when it starts.

#include <doctest/doctest.h>

#include <sinter/dist/collective/rules.hpp>
#include <sinter/dist/parallel/bucket_gradients.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/verify.hpp>

#include "../world.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace ranks;

namespace {

// Adds a call of dist::all_reduce(gradients), always on the same line: sin(x) of each size,
// reduced, and cos of the result.
void add_call(Graph& graph, dist::Reduce reduce, const std::vector<std::int64_t>& sizes) {
  Builder builder(graph);
  collective::Collective what{
      .kind = collective::Kind::all_reduce, .reduce = reduce, .where = Where::current()};
  for (const std::int64_t count : sizes) {
    const Value x = builder.input({f32, {count}});
    ++what.gradient;
    Node node = collective::node_of(what, {f32, {count}});
    node.inputs = {builder.elementwise(Op::sin, {x})};
    node.attributes.push_back({"kernel", std::string("call")});
    const Value y = builder.append(std::move(node));
    graph.outputs.push_back(builder.elementwise(Op::cos, {y}));
  }
}

Graph shared(const std::vector<std::int64_t>& sizes) {
  Graph graph;
  add_call(graph, dist::Reduce::mean, sizes);
  return graph;
}

// The numbers of gradients of each bucket, in the order in which they start.
std::vector<std::size_t> started(const Graph& graph) {
  std::vector<std::size_t> result;
  for (const Node& node : graph.nodes) {
    if (has_attribute(node, "starts")) result.push_back(node.inputs.size());
  }
  return result;
}

}  // namespace

TEST_CASE("buckets: the first has 1 MB, others 25, from the last gradient to the first") {
  if (size() == 1) return;
  constexpr std::int64_t mega = 1 << 18;  // elements of 1 MB
  const Graph graph = parallel::bucket_gradients(
      shared({3, 20 * mega, 10 * mega, 20 * mega, mega / 2, mega / 4, mega / 4}));
  verify(graph);
  CHECK(started(graph) == std::vector<std::size_t>{3, 2, 2});
}

TEST_CASE("buckets: calls on one line with different reductions do not share a bucket") {
  if (size() == 1) return;
  Graph graph;
  add_call(graph, dist::Reduce::mean, {3, 4});
  add_call(graph, dist::Reduce::sum, {5, 6, 7});
  const Graph bucketed = parallel::bucket_gradients(graph);
  verify(bucketed);
  CHECK(started(bucketed) == std::vector<std::size_t>{3, 2});
}

TEST_CASE("buckets: with one rank nothing is shared") {
  if (size() != 1) return;
  const Graph graph = parallel::bucket_gradients(shared({3, 4}));
  verify(graph);
  CHECK(started(graph).empty());
  for (const Node& node : graph.nodes) CHECK(node.op != Op::custom);
}

TEST_CASE("buckets: a graph without gradients is left alone") {
  world();
  Graph graph;
  Builder builder(graph);
  graph.outputs = {builder.elementwise(Op::sin, {builder.input({f32, {4}})})};
  CHECK(parallel::bucket_gradients(graph).nodes.size() == 2);
}
