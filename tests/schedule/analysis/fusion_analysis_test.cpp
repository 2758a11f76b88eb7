#include <doctest/doctest.h>
#include <sinter/schedule/analysis/fusion_analysis.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

FusionAnalysis analysis_of(Program& program, Vector<Value> outputs) {
  program.graph.outputs = std::move(outputs);
  return analyze_fusion(program.graph);
}

}  // namespace

TEST_CASE(
    "fusion_analysis: is_broadcast, is_constant_along_row look at the expands beneath an operand") {
  Program p;
  const Value row = p.input({1, 64}), column = p.input({8, 1});
  const Value rows = p.build.expand(row, {8, 64}), columns = p.build.expand(column, {8, 64});

  CHECK(is_broadcast(p.graph, p.build.reshape(rows, {512})));
  CHECK_FALSE(is_constant_along_row(p.graph, rows));
  CHECK(is_constant_along_row(p.graph, p.build.reshape(columns, {8, 64, 1})));
  CHECK_FALSE(is_broadcast(p.graph, p.build.reshape(row, {64})));
}

TEST_CASE("fusion_analysis: dead nodes are not computed") {
  Program p;
  const Value x = p.input({8}), dead = p.apply(Op::sin, x), kept = p.apply(Op::cos, x);
  const FusionAnalysis found = analysis_of(p, {kept});
  CHECK_FALSE(found.nodes[dead.node].live);
  CHECK(found.order == Vector<NodeId>{kept.node});
}

TEST_CASE(
    "fusion_analysis: cheap values are inlined, expensive ones with several readers are not") {
  Program p;
  const Value x = p.input({8, 8}), cheap = p.build.add(x, x), expensive = p.apply(Op::exp, x);
  const auto twice = [&](Value v) { return p.build.mul(p.apply(Op::neg, v), p.apply(Op::abs, v)); };
  const FusionAnalysis found = analysis_of(p, {twice(cheap), twice(expensive)});
  CHECK(found.nodes[cheap.node].uses == 2);
  CHECK(found.nodes[cheap.node].inlined);
  CHECK_FALSE(found.nodes[expensive.node].inlined);
}

TEST_CASE("fusion_analysis: an expensive value is recomputed from a value that is live as long") {
  Program p;
  const Value x = p.input({8, 8}), w = p.input({8, 8});
  const auto times_w = [&](Value v) {
    return p.build.dot_general(v, w, {.lhs_contract = {1}, .rhs_contract = {0}});
  };
  const Value before = p.build.add(times_w(x), w), expensive = p.apply(Op::exp, before);
  const Value now = p.build.mul(before, expensive), later = times_w(now);
  const Value with_both = p.build.mul(later, p.build.sub(before, expensive));
  CHECK(analysis_of(p, {with_both, p.build.add(later, expensive)}).nodes[expensive.node].inlined);
  const Value only_expensive = p.build.mul(later, expensive);
  CHECK_FALSE(analysis_of(p, {only_expensive}).nodes[expensive.node].inlined);
}

TEST_CASE("fusion_analysis: a value that is constant along a row is free for each element") {
  Program p;
  const Value x = p.input({8, 64}),
              total = p.build.reshape(p.build.reduce(Op::sum, x, {1}), {8, 1});
  const Value root = p.apply(Op::sqrt, p.build.add(p.build.div(total, total), total));
  const Value y = p.build.div(p.build.mul(x, p.build.expand(p.build.neg(root), {8, 64})),
                              p.build.expand(root, {8, 64}));
  const FusionAnalysis found = analysis_of(p, {p.apply(Op::neg, y), p.apply(Op::abs, y)});
  CHECK(found.nodes[y.node].cost.loads == 1);
  CHECK(found.nodes[y.node].inlined);
}

TEST_CASE("fusion_analysis: a function is not recomputed for each element of a broadcast") {
  Program p;
  const Value x = p.input({1, 8}), expensive = p.apply(Op::exp, x), cheap = p.apply(Op::neg, x);
  const Shape wide{64, 8};
  const FusionAnalysis found =
      analysis_of(p, {p.build.expand(expensive, wide), p.build.expand(cheap, wide)});
  CHECK(found.nodes[expensive.node].repeated);
  CHECK_FALSE(found.nodes[expensive.node].inlined);
  CHECK(found.nodes[cheap.node].inlined);
}

TEST_CASE(
    "fusion_analysis: operands of products are stored beneath movement operations and casts") {
  Program p;
  const Value x = p.input({8, 8}, f16), expensive = p.apply(Op::exp, x);
  const Value cast = p.build.cast(p.build.permute(expensive, {1, 0}), f32);
  const Value y =
      p.build.dot_general(cast, p.input({8, 8}), {.lhs_contract = {1}, .rhs_contract = {0}});
  const FusionAnalysis found = analysis_of(p, {y});
  CHECK(found.nodes[expensive.node].stored);
  CHECK_FALSE(found.nodes[cast.node].stored);
  CHECK(found.nodes[cast.node].inlined);
}

TEST_CASE("fusion_analysis: a level counts the reductions and products before a node") {
  Program p;
  const Value x = p.input({8, 8}), y = p.softmax(x);
  const FusionAnalysis found = analysis_of(p, {y});
  CHECK(found.nodes[x.node].level == 0);
  CHECK(found.nodes[y.node].level == 2);
}

TEST_CASE("fusion_analysis: within a level scalars come first and reductions last") {
  Program p;
  const Value x = p.input({8}), number = p.input({});
  const Value total = p.build.reduce(Op::sum, x, {0}), wide = p.apply(Op::sin, x),
              early = p.apply(Op::sin, number);
  const FusionAnalysis found = analysis_of(p, {total, wide, early});
  CHECK(found.order == Vector<NodeId>{early.node, wide.node, total.node});
}

TEST_CASE("fusion_analysis: stored_node() looks beneath reshapes only") {
  Program p;
  const Value x = p.input({4, 2});
  CHECK(stored_node(p.graph, p.build.reshape(x, {8})) == x.node);
  const Value turned = p.build.permute(x, {1, 0});
  CHECK(stored_node(p.graph, turned) == turned.node);
}

TEST_CASE("fusion_analysis: long expressions of positions alone are inlined") {
  Program p;
  const Shape shape{8, 8};
  const auto offset = [&](Value start) {
    for (int i = 0; i < 12; ++i) start = p.build.add(start, p.number(1, start));
    return start;
  };
  const Value position = p.build.iota({i64, shape}, 1), read = p.input(shape, i64);
  const auto wide = [&](Value x) {
    return p.build.expand(p.build.reshape(x, {1, 8, 8}), {4, 8, 8});
  };
  const Value a = offset(position), b = offset(read);
  const Value of_a = p.build.mul(wide(a), p.input({4, 8, 8}, i64));
  const Value of_b = p.build.mul(wide(b), p.input({4, 8, 8}, i64));
  const FusionAnalysis found = analysis_of(p, {of_a, of_b});
  CHECK(found.nodes[a.node].inlined);
  CHECK_FALSE(found.nodes[b.node].inlined);
}

TEST_CASE("fusion_analysis: what the gradient of a maximum compares has the same bits everywhere") {
  Program p;
  const Value x = p.input({8, 64}), other = p.build.div(x, p.input({8, 64}));
  const Value quotient = p.build.div(x, p.along_row(Op::sum, x)), y = p.apply(Op::tanh, quotient);
  const Value chosen = p.build.elementwise(Op::eq, {y, p.along_row(Op::max, y)});
  const Value zeros = p.build.elementwise(Op::eq, {other, p.number(0, other)});
  const FusionAnalysis found = analysis_of(p, {chosen, zeros});
  CHECK(found.nodes[y.node].compared);
  CHECK(found.nodes[quotient.node].compared);
  CHECK_FALSE(found.nodes[other.node].compared);
}
