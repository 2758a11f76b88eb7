#pragma once

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/interop/custom_op.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE std::vector<Tensor> TensorFunction::operator()(std::span<const Tensor> operands,
                                                             Where where) const {
  if (held_ == nullptr) throw_no_function(where);
  return (*held_)(operands, where);
}

SINTER_INLINE void TensorFunction::require_count(std::size_t given, std::size_t taken,
                                                 Where where) {
  if (given == taken) return;
  throw ValueError({.op = "custom_op",
                    .what = "a function takes the wrong number of tensors",
                    .facts = {{"it takes", text(taken)}, {"it gets", text(given)}},
                    .rule = "forward takes x...; backward takes x..., y..., g..., where y... are "
                            "the results and g... their gradients",
                    .fix = "give it as many parameters, or one: std::span<const Tensor>",
                    .where = where});
}

// The evaluated `x`, copied to the host if needed.
SINTER_INLINE Tensor as_host_tensor(const Tensor& x) {
  const Recorder& recorder = *current_recorder();
  const Lazy& target = *target_of(x.lazy().get());
  if (target.recording != recorder.id()) return x;
  Shape shape;
  for (const Extent& extent : x.shape()) shape.push_back(recorder.hint(extent));
  return Tensor(make_evaluated({x.dtype(), shape}, target.elements[0]));
}

// Runs `forward` and returns its results.
SINTER_INLINE std::vector<Tensor> run_custom_op(std::string_view name, const CustomOp& rules,
                                                std::vector<Tensor> operands, Where where) {
  if (current_body != 0) throw_unexpected_break(name, where);
  if (!is_recording()) return rules.forward(operands, where);
  std::vector<Tensor*> places;
  for (Tensor& operand : operands) places.push_back(&operand);
  const ElementsForTensors elements(places, where, text("the operation ", name, " is called"));
  for (Tensor& operand : operands) operand = as_host_tensor(operand);
  const DisabledScope scope(Recursive::no);
  return rules.forward(operands, where);
}

SINTER_INLINE std::vector<Tensor> call_custom_op(std::string_view name, const CustomOp& rules,
                                                 std::vector<Tensor> operands, Where where) {
  const std::vector<Tensor> computed = run_custom_op(name, rules, operands, where);
  if (!rules.backward) return computed;
  Body forward, backward;
  {
    const BodyScope scope(forward);
    add_variables(forward, operands, where);
    forward.results = computed;
  }
  {
    const BodyScope scope(backward);
    add_variables(backward, operands, where);
    std::vector<Tensor> given = backward.variables;
    for (const Tensor& y : add_result_variables(backward, forward, where)) given.push_back(y);
    for (const Tensor& g : add_gradient_variables(backward, forward, where)) given.push_back(g);
    backward.results = rules.backward(given, where);
  }
  return record_call(operands, forward, backward, where);
}

}  // namespace sinter::inline SINTER_ABI::detail
