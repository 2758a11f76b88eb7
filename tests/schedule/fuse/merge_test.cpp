#include <doctest/doctest.h>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/merge.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

struct Merged {
  Clusters clusters{};
  bool moved = false;
  std::int32_t home(Value value) const { return clusters.placements[value.node].cluster; }
};

Merged merged(Program& p, std::vector<Value> outputs) {
  p.graph.outputs = std::move(outputs);
  const Survey facts = survey(p.graph);
  Merged result{cluster(p.graph, facts)};
  const Demand needs = demand(p.graph, facts, result.clusters);
  result.moved = merge_clusters(p.graph, result.clusters, needs);
  return result;
}

}  // namespace

TEST_CASE("merge: a reduction over the same rows moves into the kernel that uses it") {
  Program p;
  const Value x = p.input({8, 4}), weights = p.input({8, 4});
  const Value total = p.build.reduce(Op::sum, weights, {1});  // shares nothing with the softmax
  const Value wide = p.build.expand(p.build.reshape(total, {8, 1}), {8, 4});
  const Value y = p.build.mul(p.softmax(x), wide);
  const Merged found = merged(p, {y});
  CHECK(found.moved);
  CHECK(found.home(total) == found.home(y));
}

TEST_CASE("merge: a value that another cluster needs in between stays where it is") {
  Program p;
  const Value x = p.input({8, 4}), weights = p.input({8, 4});
  const Value total = p.build.reduce(Op::sum, weights, {1});
  const Value column = p.build.reshape(total, {8, 1});
  const Value product = p.build.dot_general(column, x, {.lhs_contract = {0}, .rhs_contract = {0}});
  const Value shift = p.build.expand(product, {8, 4});
  const Value y = p.build.mul(p.softmax(p.build.add(x, shift)), p.build.expand(column, {8, 4}));
  const Merged found = merged(p, {y});
  CHECK(found.home(total) < found.home(product));
  CHECK(found.home(product) < found.home(y));
}

TEST_CASE("merge: siblings that load the same elements meet in the later kernel") {
  Program p;
  const Value x = p.input({8, 4}), y = p.input({8, 4});
  const Value early = p.build.reduce(Op::sum, y, {0});
  const Value late = p.build.reduce(Op::sum, p.build.mul(p.softmax(x), y), {0});
  const Merged found = merged(p, {early, late});
  CHECK(found.home(early) == found.home(late));
}

TEST_CASE("merge: readings are the loads of a cluster, also those of what is inlined into it") {
  Program p;
  const Value x = p.input({8, 4}), w = p.input({4, 4});
  const Value dot = p.build.dot_general(x, w, {.lhs_contract = {1}, .rhs_contract = {0}});
  const Value cheap = p.build.neg(p.build.permute(dot, {1, 0}));
  const Value y = p.build.reduce(Op::sum, cheap, {1});
  p.graph.outputs = {y, dot};
  const Survey facts = survey(p.graph);
  const Clusters clusters = cluster(p.graph, facts);
  const Demand needs = demand(p.graph, facts, clusters);
  const auto found = readings(p.graph, clusters, needs, clusters.placements[y.node].cluster);
  REQUIRE(found.size() == 1);
  CHECK(found[0].node == dot.node);
  CHECK(found[0].reader == cheap.node);
}
