#include <doctest/doctest.h>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/segmented_reduction.hpp>
#include <sinter/schedule/host_target.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE("segmented reduction: the host fuses sums over segments of rows with the rows") {
  Program p;
  const Shape shape{8, 4, 100};
  const Value x = p.input(shape);
  const Value totals = p.build.reshape(p.build.reduce(Op::sum, x, {1, 2}), {8, 1, 1});
  const Value rows = p.build.sub(x, p.build.expand(totals, shape));
  const Value parts = p.build.reduce(Op::sum, p.build.mul(rows, rows), {2});
  p.graph.outputs = {rows, parts};
  const FusionAnalysis facts = analyze_fusion(p.graph);
  for (const bool host : {false, true}) {
    const FusionGroups found =
        create_fusion_groups(p.graph, facts, {}, host ? host_target() : Target());
    const std::int32_t home = found.placements[rows.node].group;
    CHECK((found.placements[parts.node].group == home) == host);
    CHECK((found.partials.count(parts.node) == 1) == host);
    const Extent chunks = found.groups[static_cast<std::size_t>(home)].chunks;
    CHECK(same(chunks, host ? one_chunk_per_point : 0));
  }
}
