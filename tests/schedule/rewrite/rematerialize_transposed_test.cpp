#include <doctest/doctest.h>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/rewrite/rematerialize.hpp>
#include <sinter/schedule/rewrite/rematerialize_transposed.hpp>

#include <algorithm>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

// Weights of `keys` for each of `rows` in `batch`, of products of `depth` terms, and the sums of
// `values` over the rows with these weights.
struct Weighed {
  Program p{};
  Value q, k, values, weights, sums;

  explicit Weighed(Extent batch, Extent rows, Extent keys, std::int64_t depth = 8)
      : q(p.input({batch, rows, depth})),
        k(p.input({batch, keys, depth})),
        values(p.input({batch, rows, depth})) {
    const DotAxes last{{0}, {0}, {2}, {2}};
    const Value scores = p.build.dot_general(q, k, last);
    weights = p.softmax(p.build.mul(scores, p.number(0.5, scores)));
    sums = p.build.dot_general(weights, values, {{0}, {0}, {1}, {1}});
    p.graph.outputs = {sums};
  }
};

std::ptrdiff_t products(const Graph& graph) {
  return std::count_if(graph.nodes.begin(), graph.nodes.end(),
                       [](const Node& node) { return node.op == Op::dot_general; });
}

Plan planned(const Graph& graph) {
  return plan(graph, {.row_tiles = true, .target = host_target()});
}

}  // namespace

TEST_CASE(
    "rematerialize_transposed: a large value is recomputed transposed for products that contract "
    "rows") {
  for (const Extent rows : {Extent(4096), Extent::symbol(0)}) {
    const Weighed w(16, rows, 2048);
    const auto found = rematerialize_transposed(w.p.graph);
    REQUIRE(found);
    CHECK(products(found->graph) == products(w.p.graph) + 1);
    CHECK(found->after.size() == found->graph.nodes.size());
    CHECK(found->kinds.size() == found->graph.nodes.size());
    NodeId product = 0;
    while (found->kinds[product] != Rematerialized::transposed) ++product;
    CHECK(found->graph[product].op == Op::dot_general);
    CHECK(same(found->graph[product].results[0].shape, Shape{16, 2048, rows}));
    CHECK(found->after[product] < product);  // the values per row
  }
}

TEST_CASE("rematerialize_transposed: no buffer is as large as a rematerialized value") {
  const Weighed w(1, 4096, 4096);
  const Plan found = planned(w.p.graph);
  CHECK(found.launches.size() == 2);
  CHECK(found.arena_bytes.number() <= 3 * 4096 * 4);
}

TEST_CASE("rematerialize_transposed: small values, and values with other readers, are kept") {
  CHECK_FALSE(rematerialize_transposed(Weighed(1, 1024, 1024).p.graph));
  CHECK_FALSE(
      rematerialize_transposed(Weighed(1, 4096, 4096, 256).p.graph));  // products of many terms
  Weighed output(1, 4096, 4096), other(1, 4096, 4096);
  output.p.graph.outputs.push_back(output.weights);
  CHECK_FALSE(rematerialize_transposed(output.p.graph));
  other.p.graph.outputs.push_back(other.p.build.reduce(Op::sum, other.weights, {1}));
  CHECK_FALSE(rematerialize_transposed(other.p.graph));
}

TEST_CASE(
    "rematerialize_transposed: for streaming kernels, only products with a batch axis are copied") {
  RematerializeRules rules{.fewest_elements = 1, .most_bytes_kept = 1, .growth = 1};
  for (const bool streams : {false, true}) {
    rules.streams = streams;
    CHECK(rematerialize_transposed(Weighed(16, 64, 32).p.graph, {}, {}, rules));
    const Weighed alone(1, 64, 32);  // an axis of one element is none
    CHECK(rematerialize_transposed(alone.p.graph, {}, {}, rules).has_value() == !streams);
  }
}

TEST_CASE("rematerialize_transposed: plans give equal results") {
  const auto bound = [](std::uint32_t id) { return Extent::symbol(id, {.min = 1}); };
  const Weighed w(bound(0), bound(1), bound(2));
  REQUIRE(rematerialize_transposed(w.p.graph));
  CHECK(planned(w.p.graph).launches.size() == 2);
  for (const std::int64_t rows : {1, 7, 40}) {
    against_interpreter::check(w.p.graph, {2, rows, 33}, 1,
                               {.row_tiles = true, .target = host_target()});
  }
}
