// test: moved
// Every operation of the table, with every choice of batched inputs, against a loop over samples.

#include <sinter/autodiff/batching/rules.hpp>

#include "batches.hpp"

using namespace batches;

namespace {

// An elementwise operation, reduction or row on 2 x 3 elements, with operands of one dtype.
Vector<Value> simple(Sample& sample, Op op, DType dtype) {
  Builder& build = sample.builder;
  const Shape shape{sample.size(2), sample.size(3)};
  const Sample::Range range{is_floating(dtype) ? 0.25 : 1, is_floating(dtype) ? 2.0 : 7};
  const auto input = [&] { return sample.input(dtype, shape, range); };
  if (op == Op::select) {
    const Value condition = sample.input(boolean, shape, {0, 2});
    const Value x = input();
    return {build.select(condition, x, input())};
  }
  if (op == Op::cast) return {build.cast(input(), i8)};
  if (is_reduction(op)) {
    const Value x = input();
    return {build.reduce(op, x, {1}), build.reduce(op, x, {0, 1})};
  }
  if (op == Op::argsort) return {build.argsort(input(), 1, true)};
  if (info(op).kind == OpKind::row) return {build.cumulate(op, input(), 0)};
  const Value x = input();
  if (info(op).arity == 1) return {build.elementwise(op, {x})};
  return {build.elementwise(op, {x, input()})};
}

void check_simple(Op op, DType dtype) {
  for (const bool symbolic : {false, true}) {
    Sample sample(symbolic);
    sample.graph.outputs = simple(sample, op, dtype);
    const std::size_t inputs = sample.graph.inputs.size();
    for (std::uint32_t choice = 0; choice < (1u << inputs); ++choice) {
      Vector<bool> flags;
      for (std::size_t i = 0; i < inputs; ++i) flags.push_back((choice >> i & 1) != 0);
      CAPTURE(to_string(op));
      CAPTURE(to_string(dtype));
      CAPTURE(choice);
      check_batch(sample, flags, 3, choice + 1);
    }
  }
}

bool is_simple(Op op) {
  if (op == Op::custom_elementwise) return false;  // of a text
  const OpKind kind = info(op).kind;
  return kind == OpKind::elementwise || kind == OpKind::reduction || kind == OpKind::row;
}

}  // namespace

TEST_CASE("batching rules: elementwise operations, reductions and rows are those of each sample") {
  int checked = 0;
  for (const OpInfo& row : op_table) {
    const Op op = static_cast<Op>(&row - op_table.data());
    if (!is_simple(op)) continue;
    for (const DType dtype : {f32, f64, i32, i64, boolean}) {
      if (!takes(row.takes, dtype)) continue;
      check_simple(op, dtype);
      ++checked;
    }
  }
  CHECK(checked > 100);
}

TEST_CASE("batching rules: each operation has a rule, but for those without inputs") {
  for (const OpInfo& row : op_table) {
    const Op op = static_cast<Op>(&row - op_table.data());
    INFO(row.name);
    CHECK((autodiff::batching_rule(op).apply == nullptr) == (row.arity == 0));
  }
}
