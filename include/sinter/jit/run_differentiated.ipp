#pragma once

#include <algorithm>  // std::find

#include <sinter/autodiff/partition.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/jit/run.hpp>
#include <sinter/jit/state.hpp>
#include <sinter/trace/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE std::vector<bool> Run::wanted() const {
  if (outer_differentiations_ == 0) return {};
  std::vector<bool> result;
  const auto note = [&](const Tensor& tensor) {
    result.push_back(is_floating(tensor.type().dtype) && depends_on_variable(tensor));
  };
  const RecorderScope outside(nullptr);
  for (const guard::Leaf& leaf : real().list) note(*leaf.tensor);
  for (const Outside& one : recorder().outside()) note(one.tensor);
  const bool any = std::find(result.begin(), result.end(), true) != result.end();
  return any ? result : std::vector<bool>();
}

// Values that were computed before a graph break are wanted if they vary.
SINTER_INLINE std::vector<bool> Run::wanted_inputs(const std::vector<Tensor>& inputs) const {
  std::vector<bool> result;
  for (const Tensor& input : inputs) {
    const LazyRef& lazy = input.lazy();
    const Tensor* const real = detail::is_input(*lazy) ? real_of(*lazy) : nullptr;
    bool is_wanted = real != nullptr && is_floating(real->lazy()->node.results[0].dtype) &&
                     depends_on_variable(*real);
    for (const Called& called : called_) {
      for (std::size_t i = 0; i < called.outputs.size(); ++i) {
        is_wanted = is_wanted || (called.varying[i] && called.outputs[i] == lazy);
      }
    }
    result.push_back(is_wanted);
  }
  return result;
}

SINTER_INLINE void Run::save_for_gradients(Segment& segment,
                                           const std::vector<Tensor>& inputs) const {
  if (wanted().empty()) return;
  const std::vector<bool> flags = wanted_inputs(inputs);
  if (std::find(flags.begin(), flags.end(), true) == flags.end()) return;
  segment.varying = autodiff::varying_outputs(segment.graph, flags);
  for (const Value value : autodiff::saved_values(segment.graph, flags)) {
    segment.graph.outputs.push_back(value);
  }
}

// Compiled as the segment is.
SINTER_INLINE void Run::add_callee(Segment& segment, const Lowering& lowering) const {
  if (segment.varying.empty()) return;
  LowerOptions options = state_.lower_options({}, segment.device);
  if (lowering.is_passing || lowering.is_interim) options.backend = Backend::eager;
  segment.callee = state_.callee(segment.graph, options);
}

// What an input of a segment is outside of the run.
SINTER_INLINE LazyValue Run::operand_at(std::uint32_t position) {
  const LazyRef& lazy = recorder().tape().values()[position];
  if (!detail::is_input(*lazy)) {
    if (lazy->evaluated()) return {lazy, 0};
    return detail::evaluated_operand(lazy->node.results[0], number_at(*lazy));
  }
  if (const Tensor* const real = real_of(*lazy)) return {real->lazy(), real->result()};
  if (lazy->evaluated()) return detail::evaluated_operand(lazy->node.results[0], lazy->elements[0]);
  return detail::evaluated_operand(lazy->node.results[0], random_input(*lazy));
}

// Before the outputs get their elements.
SINTER_INLINE void Run::remember_call(const Segment& segment) {
  Called called{.values = {.callee = segment.callee, .sizes = report_.symbols},
                .varying = segment.varying};
  for (const std::uint32_t position : segment.inputs) {
    called.values.operands.push_back(operand_at(position));
  }
  for (std::size_t i = 0; i < segment.graph.outputs.size(); ++i) {
    const TensorType& type = segment.graph.type(segment.graph.outputs[i]);
    called.values.types.push_back(type_with(type, report_.symbols));
    called.values.elements.push_back(memory_.owned[i]);
  }
  for (const std::uint32_t position : segment.outputs) {
    const LazyRef& lazy = recorder().tape().values()[position];
    const bool is_one = lazy->node.results.size() == 1;
    for (std::size_t i = 0; i < lazy->node.results.size(); ++i) {
      called.outputs.push_back(is_one ? lazy : LazyRef());
    }
  }
  called_.push_back(std::move(called));
}

// The values of the run, which are values of the program now, remember what they were computed by.
SINTER_INLINE void Run::install_operands() {
  for (Called& called : std::exchange(called_, {})) {
    const std::vector<Tensor> results =
        remembering(std::move(called.values), called.varying, where());
    for (std::size_t i = 0; i < called.outputs.size(); ++i) {
      const LazyRef& lazy = called.outputs[i];
      if (!lazy || !called.varying[i] || !results[i].defined()) continue;
      lazy->node = results[i].lazy()->node;
      lazy->operands = results[i].lazy()->operands;
      lazy->expression = nullptr;
      values_with_operands->push_back(lazy);
    }
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
