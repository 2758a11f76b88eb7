#include <doctest/doctest.h>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/rewrite/chunked_reductions.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

// The groups of a graph on the host with one partial reduction.
struct Chunked {
  Graph graph;
  FusionAnalysis facts;
  FusionGroups found;
  NodeId partial = 0;
  std::int32_t home = -1;

  explicit Chunked(const Graph& recorded)
      : graph(rfactor_into_chunks(recorded).value()),
        facts(analyze_fusion(graph)),
        found(create_fusion_groups(graph, facts, find_partial_reductions(graph), host_target())) {
    REQUIRE(found.partials.size() == 1);
    partial = found.partials.begin()->first;
    home = found.placements[partial].group;
  }
};

}  // namespace

TEST_CASE("fusion groups: a group with only a partial result computes no rows") {
  Program p;
  p.graph.outputs = {p.build.reduce(Op::sum, p.input({96, 16}), {0})};
  const Chunked chunked(p.graph);
  CHECK(has_only_partials(chunked.found, chunked.facts, chunked.home));
  CHECK(same(partial_bytes(chunked.graph, chunked.found.partials, {&chunked.partial, 1}), 4 * 16));
}

TEST_CASE("fusion groups: a group of rows with a partial result computes both") {
  Program p;
  const Value e = p.softmax(p.input({96, 16}));
  p.graph.outputs = {e, p.build.reduce(Op::sum, p.build.mul(e, p.input({96, 16})), {0})};
  const Chunked chunked(p.graph);
  CHECK_FALSE(has_only_partials(chunked.found, chunked.facts, chunked.home));
  CHECK(same(partial_bytes(chunked.graph, chunked.found.partials, {&chunked.partial, 1}), 4 * 16));
}
