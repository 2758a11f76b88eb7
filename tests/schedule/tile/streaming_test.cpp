#include <doctest/doctest.h>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/tile/streaming.hpp>

#include <vector>

#include "causal_kernel.hpp"

using namespace causal;

namespace {

// Of queries, keys and the gradient of a mean of values, that of the queries: what it needs of the
// values is there already.
Kernel gradient_kernel() {
  Program p;
  const Value q = p.input({64, 4}), k = p.input({64, 4}), v = p.input({64, 2}),
              g = p.input({64, 2});
  const Value scores = p.build.dot_general(q, k, {.lhs_contract = {1}, .rhs_contract = {1}});
  const Value weights = p.softmax(scores);
  const Value of_weights = p.build.dot_general(g, v, {.lhs_contract = {1}, .rhs_contract = {1}});
  const Value total = p.along_row(Op::sum, p.build.mul(weights, of_weights));
  const Value of_scores = p.build.mul(weights, p.build.sub(of_weights, total));
  p.graph.outputs = {p.build.dot_general(of_scores, k, {.lhs_contract = {1}, .rhs_contract = {0}})};
  const Plan found = plan(p.graph, {.blocks = true});
  return found.kernels.at(0);
}

// Weights divided by their total, of which a mask leaves some.
Kernel masked_kernel() {
  Program p;
  const Value q = p.input({64, 4}), k = p.input({64, 4}), v = p.input({64, 2});
  const Value mask = p.input({64, 64}, boolean);
  const Value scores = p.build.dot_general(q, k, {.lhs_contract = {1}, .rhs_contract = {1}});
  const Value weights = p.softmax(scores);
  const Value left = p.build.select(mask, weights, p.number(0, weights));
  p.graph.outputs = {p.build.dot_general(left, v, {.lhs_contract = {1}, .rhs_contract = {0}})};
  const Plan found = plan(p.graph, {.blocks = true});
  return found.kernels.at(0);
}

// exp(score), with or without the largest score of the row taken off, over its total, as f16.
Kernel narrowed_kernel(bool relative) {
  Program p;
  const Value q = p.input({64, 4}), k = p.input({64, 4}), v = p.input({64, 2}, f16);
  const Value scores = p.build.dot_general(q, k, {.lhs_contract = {1}, .rhs_contract = {1}});
  const Value powers = p.build.elementwise(Op::exp, {scores});
  const Value weights =
      relative ? p.softmax(scores) : p.build.div(powers, p.along_row(Op::sum, powers));
  p.graph.outputs = {p.build.dot_general(p.build.cast(weights, f16), v,
                                         {.lhs_contract = {1}, .rhs_contract = {0}})};
  const Plan found = plan(p.graph, {.blocks = true});
  return found.kernels.at(0);
}

// Numbers of a table that scores say, of the keys that come no later than the query.
Kernel taken_kernel() {
  Program p;
  const Value q = p.input({64, 4}), k = p.input({64, 4}), v = p.input({64, 2});
  const Value scores = p.build.dot_general(q, k, {.lhs_contract = {1}, .rhs_contract = {1}});
  const Value taken = p.build.gather(p.input({9}), p.build.cast(scores, i64), 0);
  const Value row = p.build.iota({i64, {64, 64}}, 0), column = p.build.iota({i64, {64, 64}}, 1);
  const Value seen = p.build.elementwise(Op::ge, {row, column});
  const Value masked = p.build.select(seen, taken, p.number(-HUGE_VAL, taken));
  p.graph.outputs = {
      p.build.dot_general(p.softmax(masked), v, {.lhs_contract = {1}, .rhs_contract = {0}})};
  const Plan found = plan(p.graph, {.blocks = true});
  return found.kernels.at(0);
}

}  // namespace

TEST_CASE("stream: totals that others are relative to run along with them in one pass") {
  const auto form = stream_form(causal_kernel());
  REQUIRE(form.has_value());
  CHECK(form->passes == 1);
  CHECK(form->dots.size() == 1);
  REQUIRE(form->totals.size() == 2);
  CHECK((form->totals[0].op == Op::max && form->totals[0].peak == -1));
  CHECK((form->totals[1].op == Op::sum && form->totals[1].peak == 0));
  REQUIRE(form->sums.size() == 1);
  CHECK(form->sums[0].peak == 0);
  CHECK(form->sums[0].shift == form->totals[0].result);
  CHECK(form->sums[0].stores.size() == 1);
}

TEST_CASE("stream: a quotient by a total of the row waits for the end of the pass") {
  const auto form = stream_form(causal_kernel());
  REQUIRE(form.has_value());
  const auto weight = static_cast<std::size_t>(form->sums[0].value);
  CHECK(form->code.instructions[weight].op == Op::exp);
  CHECK(form->facts[weight].totals == 1);  // of the greatest score alone
}

TEST_CASE("stream: a row that a mask leaves out is 0 even if its total is 0") {
  const auto form = stream_form(masked_kernel());
  REQUIRE(form.has_value());
  CHECK(form->passes == 2);
  CHECK(form->sums[0].peak == -1);
}

TEST_CASE("stream: what may be too large for its type is divided before it is rounded") {
  const auto relative = stream_form(narrowed_kernel(true)),
             large = stream_form(narrowed_kernel(false));
  REQUIRE((relative.has_value() && large.has_value()));
  CHECK(relative->passes == 1);
  CHECK(large->passes == 2);
}

TEST_CASE("stream: what a causal mask leaves out is known") {
  const auto form = stream_form(causal_kernel()),
             turned = stream_form(causal_kernel(false, false, true));
  REQUIRE((form.has_value() && turned.has_value()));
  CHECK(same(form->end, form->row.variable + 1));
  CHECK(!form->before);
  CHECK(same(turned->end, turned->row.variable));
  CHECK(turned->before);
}

TEST_CASE("stream: totals that are not relative to others take another pass") {
  const auto form = stream_form(gradient_kernel());
  REQUIRE(form.has_value());
  CHECK(form->passes == 2);
  CHECK(form->dots.size() == 2);
  REQUIRE(form->totals.size() == 3);
  for (const StreamTotal& total : form->totals) CHECK(total.pass == 0);
  CHECK(form->totals[2].peak == 0);
  REQUIRE(form->sums.size() == 1);
  CHECK(form->sums[0].pass == 1);
  CHECK(form->sums[0].peak == -1);
  CHECK(same(form->end, -1));
}

TEST_CASE("stream: what is read where data say streams, and its steps are checked apart") {
  const Kernel whole = causal_kernel(false, true);
  const auto form = stream_form(whole);
  REQUIRE(form.has_value());
  CHECK(form->passes == 1);
  CHECK(same(form->end, form->row.variable + 1));
  REQUIRE(form->checks.size() == 1);  // of the steps, not that of the columns
  const auto check = static_cast<std::size_t>(form->checks[0]);
  const Instruction& bind = form->code.instructions[check];
  CHECK((form->facts[check].step && !form->facts[check].inner));
  CHECK(bind_of(form->code, bind.variable) == form->checks[0]);
  CHECK(bind_of(form->code, form->step.variable) == -1);
  std::vector<std::int32_t> numbers;
  for (const Instruction& one : form->code.instructions) {
    if (can_fault(one)) numbers.push_back(one.source);
    if (one.code != Code::load || !depends_on(one.index, bind.variable)) continue;
    CHECK(form->facts[static_cast<std::size_t>(&one - form->code.instructions.data())].step);
  }
  // As in the kernel, which checks each step twice.
  CHECK((numbers.size() == 2 && numbers[0] == 0 && numbers[1] == 2));
}

TEST_CASE("stream: steps whose checks depend on scores have an effect") {
  const auto form = stream_form(taken_kernel());
  REQUIRE(form.has_value());
  CHECK(form->checks.empty());
  CHECK(same(form->end, -1));
}

TEST_CASE("stream: a check of what nothing needs has no place in a stream") {
  Kernel whole = causal_kernel(false, true);
  for (const Instruction& bind : std::vector<Instruction>(whole.instructions)) {
    if (bind.code != Code::bind) continue;
    for (Instruction& one : whole.instructions) {
      if (one.code == Code::load) one.index = without(one.index, bind.variable);
    }
  }
  CHECK(!stream_form(whole).has_value());
}

TEST_CASE("stream: what keeps its rows, or is wide, does not stream") {
  CHECK(!stream_form(causal_kernel(true)).has_value());
  Kernel wide = causal_kernel();
  for (Stage& stage : wide.stages) {
    if (stage.contracted.empty() || !same(stage.loops[0].extent, 2)) continue;
    stage.loops[0].extent = 512;
  }
  CHECK(!stream_form(wide).has_value());
  Kernel serial = causal_kernel();
  serial.serial = true;
  CHECK(!stream_form(serial).has_value());
}
