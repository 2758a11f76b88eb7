#include <doctest/doctest.h>
#include <sinter/schedule/analysis/fusion_analysis.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

Survey survey_of(Program& program, std::vector<Value> outputs) {
  program.graph.outputs = std::move(outputs);
  return survey(program.graph);
}

}  // namespace

TEST_CASE("is_spread, is_one_for_a_row: look at the expansions beneath an operand") {
  Program p;
  const Value row = p.input({1, 64}), column = p.input({8, 1});
  const Value rows = p.build.expand(row, {8, 64}), columns = p.build.expand(column, {8, 64});

  CHECK(is_spread(p.graph, p.build.reshape(rows, {512})));
  CHECK_FALSE(is_one_for_a_row(p.graph, rows));
  CHECK(is_one_for_a_row(p.graph, p.build.reshape(columns, {8, 64, 1})));
  CHECK_FALSE(is_spread(p.graph, p.build.reshape(row, {64})));
}

TEST_CASE("survey: nodes that no output needs are not computed") {
  Program p;
  const Value x = p.input({8}), dead = p.apply(Op::sin, x), kept = p.apply(Op::cos, x);
  const Survey found = survey_of(p, {kept});
  CHECK_FALSE(found.nodes[dead.node].live);
  CHECK(found.order == std::vector<NodeId>{kept.node});
}

TEST_CASE("survey: cheap values are computed again, dear ones with several readers are not") {
  Program p;
  const Value x = p.input({8, 8}), cheap = p.build.add(x, x), dear = p.apply(Op::exp, x);
  const auto twice = [&](Value v) { return p.build.mul(p.apply(Op::neg, v), p.apply(Op::abs, v)); };
  const Survey found = survey_of(p, {twice(cheap), twice(dear)});
  CHECK(found.nodes[cheap.node].uses == 2);
  CHECK(found.nodes[cheap.node].inlined);
  CHECK_FALSE(found.nodes[dear.node].inlined);
}

TEST_CASE("survey: what is dear is computed again from a value that is kept as long") {
  Program p;
  const Value x = p.input({8, 8}), w = p.input({8, 8});
  const auto times_w = [&](Value v) {
    return p.build.dot_general(v, w, {.lhs_contract = {1}, .rhs_contract = {0}});
  };
  const Value before = p.build.add(times_w(x), w), dear = p.apply(Op::exp, before);
  const Value now = p.build.mul(before, dear), later = times_w(now);
  const Value with_both = p.build.mul(later, p.build.sub(before, dear));
  CHECK(survey_of(p, {with_both, p.build.add(later, dear)}).nodes[dear.node].inlined);
  const Value only_dear = p.build.mul(later, dear);
  CHECK_FALSE(survey_of(p, {only_dear}).nodes[dear.node].inlined);
}

TEST_CASE("survey: what is spread over a row costs nothing for each element") {
  Program p;
  const Value x = p.input({8, 64}),
              total = p.build.reshape(p.build.reduce(Op::sum, x, {1}), {8, 1});
  const Value root = p.apply(Op::sqrt, p.build.add(p.build.div(total, total), total));
  const Value y = p.build.div(p.build.mul(x, p.build.expand(p.build.neg(root), {8, 64})),
                              p.build.expand(root, {8, 64}));
  const Survey found = survey_of(p, {p.apply(Op::neg, y), p.apply(Op::abs, y)});
  CHECK(found.nodes[y.node].cost.loads == 1);
  CHECK(found.nodes[y.node].inlined);
}

TEST_CASE("survey: a function is not computed again for each element of a broadcast") {
  Program p;
  const Value x = p.input({1, 8}), dear = p.apply(Op::exp, x), cheap = p.apply(Op::neg, x);
  const Shape wide{64, 8};
  const Survey found = survey_of(p, {p.build.expand(dear, wide), p.build.expand(cheap, wide)});
  CHECK(found.nodes[dear.node].repeated);
  CHECK_FALSE(found.nodes[dear.node].inlined);
  CHECK(found.nodes[cheap.node].inlined);
}

TEST_CASE("survey: operands of products are in memory, beneath movements and casts") {
  Program p;
  const Value x = p.input({8, 8}, f16), dear = p.apply(Op::exp, x);
  const Value cast = p.build.cast(p.build.permute(dear, {1, 0}), f32);
  const Value y =
      p.build.dot_general(cast, p.input({8, 8}), {.lhs_contract = {1}, .rhs_contract = {0}});
  const Survey found = survey_of(p, {y});
  CHECK(found.nodes[dear.node].stored);
  CHECK_FALSE(found.nodes[cast.node].stored);
  CHECK(found.nodes[cast.node].inlined);
}

TEST_CASE("survey: a level counts the reductions and products before") {
  Program p;
  const Value x = p.input({8, 8}), y = p.softmax(x);
  const Survey found = survey_of(p, {y});
  CHECK(found.nodes[x.node].level == 0);
  CHECK(found.nodes[y.node].level == 2);
}

TEST_CASE("survey: within a level numbers come first and reductions last") {
  Program p;
  const Value x = p.input({8}), number = p.input({});
  const Value total = p.build.reduce(Op::sum, x, {0}), wide = p.apply(Op::sin, x),
              early = p.apply(Op::sin, number);
  const Survey found = survey_of(p, {total, wide, early});
  CHECK(found.order == std::vector<NodeId>{early.node, wide.node, total.node});
}

TEST_CASE("survey: stored_node looks beneath reshapes only") {
  Program p;
  const Value x = p.input({4, 2});
  CHECK(stored_node(p.graph, p.build.reshape(x, {8})) == x.node);
  const Value turned = p.build.permute(x, {1, 0});
  CHECK(stored_node(p.graph, turned) == turned.node);
}

TEST_CASE("survey: what is made of positions alone is computed again, however long it is") {
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
  const Survey found = survey_of(p, {of_a, of_b});
  CHECK(found.nodes[a.node].inlined);
  CHECK_FALSE(found.nodes[b.node].inlined);
}
