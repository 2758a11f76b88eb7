#include <doctest/doctest.h>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/legality.hpp>

#include "against_interpreter.hpp"
#include "grouped.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using grouped::group_of;
using grouped::groups_of;
using programs::Program;

TEST_CASE("legality: a value read at indices known only at run time is computed before") {
  Program p;
  const Value x = p.input({8}), expensive = p.apply(Op::exp, x), at = p.input({4}, i64);
  const Value y = p.build.gather(expensive, at, 0);
  const FusionGroups found = groups_of(p, {y});
  CHECK(group_of(found, expensive) < group_of(found, y));
}

TEST_CASE("legality: a gather reads the element that an argmax found") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {40}});
  const Value at = build.reshape(build.reduce(Op::argmax, x, {0}), {1});
  graph.outputs = {build.gather(x, at, 0)};
  against_interpreter::check(graph, {}, 1);
}

TEST_CASE("legality: a group of many members has no room, nor one with other chunks") {
  Program p;
  const Value x = p.input({96, 16}), y = p.build.neg(x);
  p.graph.outputs = {y};
  const FusionAnalysis facts = analyze_fusion(p.graph);
  const Target target;
  schedule::detail::GroupState state{p.graph, facts, target, create_fusion_groups(p.graph, facts)};
  const Vector<NodeId> many(max_group_members, y.node);
  CHECK(schedule::detail::room_obstacle(state, 0, {&y.node, 1}, 4) == "");
  CHECK(schedule::detail::room_obstacle(state, 0, many) == refusal::many_operations);
  state.result.groups[0].chunks = 8;
  CHECK(schedule::detail::room_obstacle(state, 0, {&y.node, 1}) == "");
  CHECK(schedule::detail::room_obstacle(state, 0, {&y.node, 1}, 8) == "");
  CHECK(schedule::detail::room_obstacle(state, 0, {&y.node, 1}, 4) ==
        "their sums are divided into different chunks");
}

TEST_CASE("legality: a group reads earlier groups anywhere, and itself at the same element") {
  Program p;
  const Value x = p.input({8, 8}), rows = p.softmax(x), turned = p.build.permute(rows, {1, 0});
  const Value y = p.build.add(rows, turned);
  p.graph.outputs = {rows, y};
  const FusionAnalysis facts = analyze_fusion(p.graph);
  const Target target;
  const schedule::detail::GroupState state{p.graph, facts, target,
                                           create_fusion_groups(p.graph, facts)};
  REQUIRE(state.result.groups.size() == 2);
  const schedule::Index& at = state.result.groups[0].ranges;
  schedule::detail::ElementReader early{state, 0}, late{state, 1};
  CHECK(early.read_obstacle(rows, at) == "");
  CHECK(early.read_obstacle(turned, at) == refusal::other_element);
  CHECK(early.read_obstacle(y, at) == refusal::kernel_between);
  CHECK(late.read_obstacle(turned, state.result.groups[1].ranges) == "");
}

TEST_CASE("legality: a reduction needs the axes of the rows, or is partial") {
  const Shape space{96, 4, 16};
  FusionGroup rows{.kind = GroupKind::rows, .space = space, .ranges = ranges_over(space)};
  rows.reduced = 0b110;
  const auto along = [&](std::uint32_t axes) {
    FusionGroup group = rows;
    schedule::Index index = rows.ranges;
    Substitutions values;
    const PartialReduction partial{{}, axes, 8};
    return schedule::detail::partial_obstacle(group, index, values, partial, false);
  };
  CHECK(along(0b001) == "");
  CHECK(along(0b111) == "");
  CHECK(along(0b110) == refusal::different_axes);
}

TEST_CASE("legality: the first reader of a value, through inlined nodes") {
  Program p;
  const Value x = p.input({8, 8}), rows = p.softmax(x), inlined = p.build.neg(rows);
  const Value product = p.build.dot_general(inlined, x, {.lhs_contract = {0}, .rhs_contract = {0}});
  p.graph.outputs = {product};
  const FusionAnalysis facts = analyze_fusion(p.graph);
  const Target target;
  const schedule::detail::GroupState state{p.graph, facts, target,
                                           create_fusion_groups(p.graph, facts)};
  const schedule::detail::Readers readers(state);
  CHECK(readers.first(x.node) == 0);
  CHECK(readers.first(rows.node) <= state.group_of(product.node));
  CHECK(readers.first(product.node) == schedule::detail::Readers::last);
}
