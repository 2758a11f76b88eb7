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
  FusionGroups groups{};
  bool changed = false;
  std::int32_t group_of(Value value) const { return groups.placements[value.node].group; }
};

Merged merged(Program& p, Vector<Value> outputs) {
  p.graph.outputs = std::move(outputs);
  const FusionAnalysis facts = analyze_fusion(p.graph);
  Merged result{create_fusion_groups(p.graph, facts)};
  const LiveOut needs = find_live_out(p.graph, facts, result.groups);
  result.changed = merge_fusion_groups(p.graph, facts, Target(), result.groups, needs);
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
  CHECK(found.changed);
  CHECK(found.group_of(total) == found.group_of(y));
}

TEST_CASE("merge: a value that another group needs in between is not moved") {
  Program p;
  const Value x = p.input({8, 4}), weights = p.input({8, 4});
  const Value total = p.build.reduce(Op::sum, weights, {1});
  const Value column = p.build.reshape(total, {8, 1});
  const Value product = p.build.dot_general(column, x, {.lhs_contract = {0}, .rhs_contract = {0}});
  const Value shift = p.build.expand(product, {8, 4});
  const Value y = p.build.mul(p.softmax(p.build.add(x, shift)), p.build.expand(column, {8, 4}));
  const Merged found = merged(p, {y});
  CHECK(found.group_of(total) < found.group_of(product));
  CHECK(found.group_of(product) < found.group_of(y));
}

TEST_CASE("merge: siblings that load the same elements are fused in the later kernel") {
  Program p;
  const Value x = p.input({8, 4}), y = p.input({8, 4});
  const Value early = p.build.reduce(Op::sum, y, {0});
  const Value late = p.build.reduce(Op::sum, p.build.mul(p.softmax(x), y), {0});
  const Merged found = merged(p, {early, late});
  CHECK(found.group_of(early) == found.group_of(late));
}

TEST_CASE("merge: rows that an inlined member reads in another order are not moved") {
  for (const bool subtracted : {false, true}) {
    CAPTURE(subtracted);
    Program p;
    const Value x = p.input({8, 4}), y = p.input({16, 4});
    const Value row = p.along_row(Op::sum, x), column = p.build.reduce(Op::sum, y, {0});
    const Value wide = p.broadcast(column, {8, 4});
    const Value inlined = p.build.mul(subtracted ? p.build.sub(x, row) : row, wide);
    const Value sum = p.build.add(x, p.build.flip(inlined, {0}));
    const Value result = p.build.reduce(Op::max, sum, {1});
    const Merged found = merged(p, {result});
    const NodeId total = beneath(p.graph, row);
    CHECK(found.group_of(inlined) == found.group_of(result));
    CHECK(found.groups.placements[total].group < found.group_of(result));
  }
}

TEST_CASE("merge: the loads of a group include those of inlined nodes") {
  Program p;
  const Value x = p.input({8, 4}), w = p.input({4, 4});
  const Value dot = p.build.dot_general(x, w, {.lhs_contract = {1}, .rhs_contract = {0}});
  const Value cheap = p.build.neg(p.build.permute(dot, {1, 0}));
  const Value y = p.build.reduce(Op::sum, cheap, {1});
  p.graph.outputs = {y, dot};
  const FusionAnalysis facts = analyze_fusion(p.graph);
  const FusionGroups groups = create_fusion_groups(p.graph, facts);
  const LiveOut needs = find_live_out(p.graph, facts, groups);
  const auto found = loads_of(p.graph, groups, needs, groups.placements[y.node].group);
  REQUIRE(found.size() == 1);
  CHECK(found[0].node == dot.node);
  CHECK(found[0].reader == cheap.node);
}
