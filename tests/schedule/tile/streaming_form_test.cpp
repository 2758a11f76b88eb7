#include <doctest/doctest.h>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/tile/streaming_form.hpp>

#include <vector>

#include "causal_kernel.hpp"

using namespace causal;

namespace {

// The gradient of attention with respect to the queries, whose operands are all computed before.
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
  const Plan found = plan(p.graph, {.row_tiles = true});
  return found.kernels.at(0);
}

// Weights divided by their sum, some of which are masked out.
Kernel masked_kernel() {
  Program p;
  const Value q = p.input({64, 4}), k = p.input({64, 4}), v = p.input({64, 2});
  const Value mask = p.input({64, 64}, boolean);
  const Value scores = p.build.dot_general(q, k, {.lhs_contract = {1}, .rhs_contract = {1}});
  const Value weights = p.softmax(scores);
  const Value left = p.build.select(mask, weights, p.number(0, weights));
  p.graph.outputs = {p.build.dot_general(left, v, {.lhs_contract = {1}, .rhs_contract = {0}})};
  const Plan found = plan(p.graph, {.row_tiles = true});
  return found.kernels.at(0);
}

// exp(score), with or without the row maximum subtracted, divided by its row sum, as `dtype`.
Kernel kernel_of(DType dtype, bool relative) {
  Program p;
  const Value q = p.input({64, 4}), k = p.input({64, 4}), v = p.input({64, 2}, dtype);
  const Value scores = p.build.dot_general(q, k, {.lhs_contract = {1}, .rhs_contract = {1}});
  const Value powers = p.build.elementwise(Op::exp, {scores});
  const Value weights =
      relative ? p.softmax(scores) : p.build.div(powers, p.along_row(Op::sum, powers));
  p.graph.outputs = {p.build.dot_general(p.build.cast(weights, dtype), v,
                                         {.lhs_contract = {1}, .rhs_contract = {0}})};
  const Plan found = plan(p.graph, {.row_tiles = true});
  return found.kernels.at(0);
}

// Elements of a table at indices that are scores, for keys not after the query.
Kernel gather_kernel() {
  Program p;
  const Value q = p.input({64, 4}), k = p.input({64, 4}), v = p.input({64, 2});
  const Value scores = p.build.dot_general(q, k, {.lhs_contract = {1}, .rhs_contract = {1}});
  const Value taken = p.build.gather(p.input({9}), p.build.cast(scores, i64), 0);
  const Value row = p.build.iota({i64, {64, 64}}, 0), column = p.build.iota({i64, {64, 64}}, 1);
  const Value seen = p.build.elementwise(Op::ge, {row, column});
  const Value masked = p.build.select(seen, taken, p.number(-HUGE_VAL, taken));
  p.graph.outputs = {
      p.build.dot_general(p.softmax(masked), v, {.lhs_contract = {1}, .rhs_contract = {0}})};
  const Plan found = plan(p.graph, {.row_tiles = true});
  return found.kernels.at(0);
}

}  // namespace

TEST_CASE("streaming form: the running maximum and the sums relative to it take one pass") {
  const auto form = streaming_form(causal_kernel());
  REQUIRE(form.has_value());
  CHECK(form->passes == 1);
  CHECK(form->dots.size() == 1);
  REQUIRE(form->reductions.size() == 2);
  CHECK((form->reductions[0].op == Op::max && form->reductions[0].running_max == -1));
  CHECK((form->reductions[1].op == Op::sum && form->reductions[1].running_max == 0));
  REQUIRE(form->accumulators.size() == 1);
  CHECK(form->accumulators[0].running_max == 0);
  CHECK(form->accumulators[0].rescale_base == form->reductions[0].result);
  CHECK(form->accumulators[0].stores.size() == 1);
}

TEST_CASE("streaming form: a division by a row sum is applied after the pass") {
  const auto form = streaming_form(causal_kernel());
  REQUIRE(form.has_value());
  const auto weight = static_cast<std::size_t>(form->accumulators[0].value);
  CHECK(form->code.instructions[weight].op == Op::exp);
  CHECK(form->facts[weight].reductions == 1);  // only of the running maximum
}

TEST_CASE("streaming form: a row that is masked out is 0 even if its sum is 0") {
  const auto form = streaming_form(masked_kernel());
  REQUIRE(form.has_value());
  CHECK(form->passes == 2);
  CHECK(form->accumulators[0].running_max == -1);
}

TEST_CASE(
    "streaming form: values that may overflow their type are divided before they are rounded") {
  const auto relative = streaming_form(kernel_of(f16, true)),
             large = streaming_form(kernel_of(f16, false));
  REQUIRE((relative.has_value() && large.has_value()));
  CHECK(relative->passes == 1);
  CHECK(large->passes == 2);
}

TEST_CASE("streaming form: the steps excluded by a causal mask are known") {
  const auto form = streaming_form(causal_kernel()),
             transposed = streaming_form(causal_kernel(false, false, true));
  REQUIRE((form.has_value() && transposed.has_value()));
  CHECK(same(form->end, form->row.variable + 1));
  CHECK(!form->before);
  CHECK(same(transposed->end, transposed->row.variable));
  CHECK(transposed->before);
}

TEST_CASE("streaming form: reductions that are not relative to others take another pass") {
  const auto form = streaming_form(gradient_kernel());
  REQUIRE(form.has_value());
  CHECK(form->passes == 2);
  CHECK(form->dots.size() == 2);
  REQUIRE(form->reductions.size() == 3);
  for (const RunningReduction& total : form->reductions) CHECK(total.pass == 0);
  CHECK(form->reductions[2].running_max == 0);
  REQUIRE(form->accumulators.size() == 1);
  CHECK(form->accumulators[0].pass == 1);
  CHECK(form->accumulators[0].running_max == -1);
  CHECK(same(form->end, -1));
}

TEST_CASE("streaming form: gathers are streamed, and the checks of their steps are kept apart") {
  const Kernel whole = causal_kernel(false, true);
  const auto form = streaming_form(whole);
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

TEST_CASE("streaming form: steps whose checks depend on scores have an effect") {
  const auto form = streaming_form(gather_kernel());
  REQUIRE(form.has_value());
  CHECK(form->checks.empty());
  CHECK(same(form->end, -1));
}

TEST_CASE("streaming form: a kernel with a check that no result needs is not streamed") {
  Kernel whole = causal_kernel(false, true);
  for (const Instruction& bind : Vector<Instruction>(whole.instructions)) {
    if (bind.code != Code::bind) continue;
    for (Instruction& one : whole.instructions) {
      if (one.code == Code::load) one.index = without(one.index, bind.variable);
    }
  }
  CHECK(!streaming_form(whole).has_value());
}

TEST_CASE("streaming form: products of different types are not streamed") {
  CHECK(streaming_form(kernel_of(f32, true))->dtype == f32);
  CHECK(streaming_form(kernel_of(f16, true))->dtype == f32);  // 16-bit products sum in f32
  const Kernel mixed = kernel_of(f64, true);
  REQUIRE(is_row_tiled(mixed));
  CHECK(!streaming_form(mixed).has_value());
}

TEST_CASE("streaming form: kernels that keep their rows or are wide are not streamed") {
  CHECK(!streaming_form(causal_kernel(true)).has_value());
  Kernel wide = causal_kernel();
  for (Stage& stage : wide.stages) {
    if (stage.contracted.empty() || !same(stage.loops[0].extent, 2)) continue;
    stage.loops[0].extent = 512;
  }
  CHECK(!streaming_form(wide).has_value());
  Kernel serial = causal_kernel();
  serial.serial = true;
  CHECK(!streaming_form(serial).has_value());
}
