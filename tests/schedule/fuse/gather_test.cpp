#include <doctest/doctest.h>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/gather.hpp>

#include "against_interpreter.hpp"
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

TEST_CASE("cluster: a value that only the run knows where to read is computed before") {
  Program p;
  const Value x = p.input({8}), dear = p.apply(Op::exp, x), at = p.input({4}, i64);
  const Value y = p.build.gather(dear, at, 0);
  const Clusters found = clusters_of(p, {y});
  CHECK(home(found, dear) < home(found, y));
}

TEST_CASE("gather: reads where the first largest element is, once that is found") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {40}});
  const Value at = build.reshape(build.reduce(Op::argmax, x, {0}), {1});
  graph.outputs = {build.gather(x, at, 0)};
  against_interpreter::check(graph, {}, 1);
}
