#include <doctest/doctest.h>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/segmented_reduction.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE("segmented reduction: sums over parts of rows are taken where the host has the rows") {
  Program p;
  const Shape shape{8, 4, 100};
  const Value x = p.input(shape);
  const Value totals = p.build.reshape(p.build.reduce(Op::sum, x, {1, 2}), {8, 1, 1});
  const Value rows = p.build.sub(x, p.build.expand(totals, shape));
  const Value parts = p.build.reduce(Op::sum, p.build.mul(rows, rows), {2});
  p.graph.outputs = {rows, parts};
  const Survey facts = survey(p.graph);
  for (const bool host : {false, true}) {
    const Clusters found = cluster(p.graph, facts, {}, host);
    const std::int32_t home = found.placements[rows.node].cluster;
    CHECK((found.placements[parts.node].cluster == home) == host);
    CHECK((found.partials.count(parts.node) == 1) == host);
    const Extent chunks = found.clusters[static_cast<std::size_t>(home)].chunks;
    CHECK(same(chunks, host ? own_chunks : 0));
  }
}
