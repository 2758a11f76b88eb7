#include <doctest/doctest.h>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/groups.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

// The clusters of a graph on the host, one of whose reductions is done in chunks.
struct Chunked {
  Graph graph;
  Survey facts;
  Clusters found;
  NodeId partial = 0;
  std::int32_t home = -1;

  explicit Chunked(const Graph& recorded)
      : graph(reduce_in_chunks(recorded).value()),
        facts(survey(graph)),
        found(cluster(graph, facts, find_partials(graph), true)) {
    REQUIRE(found.partials.size() == 1);
    partial = found.partials.begin()->first;
    home = found.placements[partial].cluster;
  }
};

}  // namespace

TEST_CASE("groups: a cluster with nothing but a partial result computes no rows") {
  Program p;
  p.graph.outputs = {p.build.reduce(Op::sum, p.input({96, 16}), {0})};
  const Chunked chunked(p.graph);
  CHECK(only_combines(chunked.found, chunked.facts, chunked.home));
  CHECK(same(combined_bytes(chunked.graph, chunked.found, chunked.home), 4 * 16));
}

TEST_CASE("groups: a partial result beside rows is not all that its cluster computes") {
  Program p;
  const Value e = p.softmax(p.input({96, 16}));
  p.graph.outputs = {e, p.build.reduce(Op::sum, p.build.mul(e, p.input({96, 16})), {0})};
  const Chunked chunked(p.graph);
  CHECK_FALSE(only_combines(chunked.found, chunked.facts, chunked.home));
  CHECK(same(combined_bytes(chunked.graph, chunked.found, chunked.home), 4 * 16));
}
