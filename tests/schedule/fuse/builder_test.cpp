#include <doctest/doctest.h>
#include <sinter/schedule/fuse/builder.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

Clusters clusters_of(Program& program, std::vector<Value> outputs) {
  program.graph.outputs = std::move(outputs);
  return cluster(program.graph, survey(program.graph));
}

std::int32_t home(const Clusters& clusters, Value value) {
  return clusters.placements[value.node].cluster;
}

}  // namespace

TEST_CASE("cluster: ten times the nodes are compared with ten times the clusters") {
  // Rows, columns, products and pointwise operations, all of which read the first value.
  const auto tried = [](int layers) {
    Program p;
    const Value first = p.input({64, 48}), weight = p.input({48, 48});
    Value x = first;
    for (int i = 0; i < layers; ++i) {
      x = p.softmax(p.build.add(p.apply(Op::sin, x), first));
      x = p.build.dot_general(x, weight, {.lhs_contract = {1}, .rhs_contract = {0}});
      const Value columns = p.build.reduce(Op::max, p.build.mul(x, first), {0});
      x = p.build.sub(x, p.broadcast(columns, {64, 48}));
    }
    p.graph.outputs = {x};
    return cluster(p.graph, survey(p.graph), {}, true).tried;
  };
  const std::size_t few = tried(60), many = tried(600);
  CHECK(few > 0);
  CHECK(many <= 10 * few + 100);
}

TEST_CASE("cluster: a row function is one cluster over its rows") {
  for (const bool symbolic : {false, true}) {
    Program p;
    const Clusters found =
        clusters_of(p, {p.nameless(p.input(programs::sizes({4, 6, 8}, symbolic)))});
    REQUIRE(found.clusters.size() == 1);
    CHECK(found.clusters[0].kind == ClusterKind::rows);
    CHECK(found.clusters[0].reduced == 0b100);
    CHECK(text(grid_ranges(found.clusters[0])) == "[r0, r1]");
    CHECK(text(row_ranges(p.graph, found.clusters[0])) == "[r2]");
  }
}

TEST_CASE("cluster: what is done to the result of a product joins it, also transposed") {
  Program p;
  const Value x = p.input({8, 16}), w = p.input({16, 4}), bias = p.input({4});
  const Value y = p.build.dot_general(x, w, {.lhs_contract = {1}, .rhs_contract = {0}});
  const Value shifted = p.build.add(y, p.broadcast(bias, {8, 4}));
  const Value turned = p.apply(Op::tanh, p.build.permute(shifted, {1, 0}));
  const Clusters found = clusters_of(p, {turned});
  CHECK(found.clusters.size() == 1);
  CHECK(found.clusters[0].kind == ClusterKind::product);
  CHECK(text(found.placements[turned.node].index) == "[r1, r0]");
}

TEST_CASE("cluster: a value that is read at other elements is not in the cluster of its reader") {
  Program p;
  const Value x = p.input({8}), dear = p.apply(Op::exp, x);
  const Value y = p.build.mul(dear, p.build.flip(dear, {0}));
  const Clusters found = clusters_of(p, {y});
  CHECK(home(found, dear) < home(found, y));
}

TEST_CASE("cluster: a large tensor is not left to the one thread of a scalar reduction") {
  for (const std::int64_t elements : {1024, 1 << 20}) {
    Program p;
    const Value x = p.input({elements});
    const Value total = p.build.reduce(Op::sum, x, {0});
    const Value y = p.build.div(x, p.broadcast(total, {elements}));
    const Clusters found = clusters_of(p, {y});
    CHECK((home(found, total) == home(found, y)) == (elements == 1024));
    CHECK(is_parallel(found.clusters[0]) == (elements == 1024));
  }
}

TEST_CASE("cluster: clusters only read from those before them") {
  Program p;
  const Value x = p.input({8, 8});
  const Value a = p.softmax(x),
              b = p.build.dot_general(a, x, {.lhs_contract = {1}, .rhs_contract = {0}});
  const Value c = p.layer_norm(p.build.add(b, a), p.input({8}), p.input({8}));
  const Clusters found = clusters_of(p, {c, b});
  for (NodeId id = 0; id < p.graph.nodes.size(); ++id) {
    for (Value input : p.graph[id].inputs) {
      const NodeId operand = beneath(p.graph, input);
      if (home(found, id) >= 0) CHECK(home(found, operand) <= home(found, id));
    }
  }
}

TEST_CASE("cluster: an argmax over what was flipped meets elements as they lie, not as computed") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4, 6}});
  const Value holds = build.elementwise(Op::lt, {x, build.constant_like(x, 9)});
  graph.outputs = {build.reduce(Op::argmax, build.flip(holds, {1}), {0, 1}), holds};
  const auto found = schedule::cluster(graph, schedule::survey(graph));
  CHECK(found.clusters.size() == 2);
}
