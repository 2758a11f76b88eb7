#include <doctest/doctest.h>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/host_target.hpp>

#include "grouped.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using grouped::group_of;
using grouped::groups_of;
using programs::Program;

TEST_CASE("fusion groups: ten times the nodes are compared with ten times the groups") {
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
    return create_fusion_groups(p.graph, analyze_fusion(p.graph), {}, host_target()).tried;
  };
  const std::size_t few = tried(60), many = tried(600);
  CHECK(few > 0);
  CHECK(many <= 10 * few + 100);
}

TEST_CASE("fusion groups: a row function is one group over its rows") {
  for (const bool symbolic : {false, true}) {
    Program p;
    const FusionGroups found =
        groups_of(p, {p.nameless(p.input(programs::sizes({4, 6, 8}, symbolic)))});
    REQUIRE(found.groups.size() == 1);
    CHECK(found.groups[0].kind == GroupKind::rows);
    CHECK(found.groups[0].reduced == 0b100);
    CHECK(text(grid_ranges(found.groups[0])) == "[r0, r1]");
    CHECK(text(row_ranges(p.graph, found.groups[0])) == "[r2]");
  }
}

TEST_CASE("fusion groups: the epilogue of a product is fused with it, also transposed") {
  Program p;
  const Value x = p.input({8, 16}), w = p.input({16, 4}), bias = p.input({4});
  const Value y = p.build.dot_general(x, w, {.lhs_contract = {1}, .rhs_contract = {0}});
  const Value shifted = p.build.add(y, p.broadcast(bias, {8, 4}));
  const Value transposed = p.apply(Op::tanh, p.build.permute(shifted, {1, 0}));
  const FusionGroups found = groups_of(p, {transposed});
  CHECK(found.groups.size() == 1);
  CHECK(found.groups[0].kind == GroupKind::product);
  CHECK(text(found.placements[transposed.node].index) == "[r1, r0]");
}

TEST_CASE(
    "fusion groups: a value that is read at different elements is not in the group of its reader") {
  Program p;
  const Value x = p.input({8}), expensive = p.apply(Op::exp, x);
  const Value y = p.build.mul(expensive, p.build.flip(expensive, {0}));
  const FusionGroups found = groups_of(p, {y});
  CHECK(group_of(found, expensive) < group_of(found, y));
}

TEST_CASE("fusion groups: large tensors are not fused into a scalar reduction on one thread") {
  for (const std::int64_t elements : {1024, 1 << 20}) {
    Program p;
    const Value x = p.input({elements});
    const Value total = p.build.reduce(Op::sum, x, {0});
    const Value y = p.build.div(x, p.broadcast(total, {elements}));
    const FusionGroups found = groups_of(p, {y});
    CHECK((group_of(found, total) == group_of(found, y)) == (elements == 1024));
    CHECK(is_parallel(found.groups[0]) == (elements == 1024));
  }
}

TEST_CASE("fusion groups: groups only read from earlier groups") {
  Program p;
  const Value x = p.input({8, 8});
  const Value a = p.softmax(x),
              b = p.build.dot_general(a, x, {.lhs_contract = {1}, .rhs_contract = {0}});
  const Value c = p.layer_norm(p.build.add(b, a), p.input({8}), p.input({8}));
  const FusionGroups found = groups_of(p, {c, b});
  for (NodeId id = 0; id < p.graph.nodes.size(); ++id) {
    for (Value input : p.graph[id].inputs) {
      const NodeId operand = beneath(p.graph, input);
      if (group_of(found, id) >= 0) CHECK(group_of(found, operand) <= group_of(found, id));
    }
  }
}

TEST_CASE("sibling fusion: nodes that read the same elements share a group") {
  Program p;
  const Value x = p.input({8, 4});
  CHECK(groups_of(p, {p.apply(Op::sin, x), p.apply(Op::cos, x)}).groups.size() == 1);
  Program q;
  const Value y = q.input({8, 4});
  const Value rows = q.build.reduce(Op::sum, y, {1}), squares = q.build.reduce(Op::max, y, {1});
  CHECK(groups_of(q, {rows, squares}).groups.size() == 1);
}

TEST_CASE("sibling fusion: reductions over different axes are in different groups") {
  Program p;
  const Value x = p.input({8, 4});
  const Value rows = p.build.reduce(Op::sum, x, {1}), columns = p.build.reduce(Op::sum, x, {0});
  CHECK(groups_of(p, {rows, columns}).groups.size() == 2);
}

TEST_CASE("fusion groups: an argmax over a flipped value visits elements in memory order") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4, 6}});
  const Value holds = build.elementwise(Op::lt, {x, build.constant_like(x, 9)});
  graph.outputs = {build.reduce(Op::argmax, build.flip(holds, {1}), {0, 1}), holds};
  const auto found = schedule::create_fusion_groups(graph, schedule::analyze_fusion(graph));
  CHECK(found.groups.size() == 2);
}
