#pragma once

#include <cstring>  // std::memcpy
#include <utility>  // std::exchange

#include <sinter/graph/rewrite.hpp>
#include <sinter/jit/run.hpp>
#include <sinter/jit/state.hpp>
#include <sinter/trace/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE void Run::finish(const guard::Leaves& after, const LeafNames& names_after) {
  end_sizes();
  const RecorderScope outside(nullptr);
  for (Lazy* const input : read_inputs_) input->elements.clear();
  read_inputs_.clear();
  start_created_state();
  keep_held_inputs(after);
  const Positions outputs = held();
  std::vector<NewValue> updates = new_values(after, names_after);
  if (!recorder().effects().empty()) updates.clear();  // a host function may throw
  if (!outputs.empty()) compute(outputs, updates);
  if (recorder().is_random() || memory_.draw) pause();
  call_host_functions();
  if (memory_.draw) memory_.draw->keep();
  is_finished_ = true;
  release();
  install_operands();
}

// State that the run created is what it starts with, as if it had been there before.
SINTER_INLINE void Run::start_created_state() {
  const Device device = detail::device_of(placeholders(), {});
  for (const CreatedState& state : recorder().created()) {
    Lazy& placeholder = *state.placeholder.lazy();
    if (placeholder.evaluated()) continue;
    placeholder.elements.push_back(
        elements_of(detail::evaluate_initial(state, recorder(), device)));
  }
}

// Arguments that are results or values of other arguments, as they were before the run.
SINTER_INLINE void Run::keep_held_inputs(const guard::Leaves& after) {
  const std::vector<std::uint32_t> inner = recorder().tape().inner_references();
  for (std::size_t i = 0; i < placeholders().size(); ++i) {
    const LazyRef& placeholder = placeholders()[i].lazy();
    const bool is_unchanged = i < after.list.size() && after.list[i].tensor->lazy() == placeholder;
    const std::uint32_t known = inner[placeholder->position] + 2 + (is_unchanged ? 1 : 0);
    if (placeholder->references.load(std::memory_order_acquire) <= known) continue;
    held_inputs_.emplace_back(placeholder, real_of(*placeholder)->lazy());
  }
}

SINTER_INLINE void Run::end_sizes() {
  if (!std::exchange(sizes_ended_, true)) recorder().fix_sizes();
}

SINTER_INLINE void Run::call_host_functions() {
  for (const Effect& effect : recorder().take_effects()) {
    std::vector<Tensor> operands;
    for (const Tensor& operand : effect.operands) operands.push_back(real_value(operand));
    (*effect.function)(operands);
  }
}

SINTER_INLINE void Run::settle(const guard::Leaves& tensors) const {
  for (const guard::Leaf& leaf : tensors.list) {
    const LazyRef& lazy = leaf.tensor->lazy();
    if (lazy->stands_for)
      *leaf.tensor = Tensor(reference_to(*target_of(lazy.get())), leaf.tensor->result());
  }
}

// Whatever is still held goes on as a value outside of recordings, with sizes that are numbers: it
// has elements, or is computed from what the placeholders stood for.
SINTER_INLINE void Run::release() {
  for (const auto& [placeholder, real] : std::exchange(held_inputs_, {})) {
    placeholder->stands_for = reference_to(*target_of(real.get()));
  }
  if (is_left_) return;
  const Recorder& from = recorder();
  const auto number = [&from](Extent extent) { return Extent(from.hint(extent)); };
  for (const std::uint32_t position : recorder().tape().live()) {
    const LazyRef& value = recorder().tape().values()[position];
    if (value->recording == 0) continue;
    value->recording = 0;
    if (value->references.load(std::memory_order_acquire) == 1) continue;
    if (is_finished_ && !value->evaluated() && !detail::is_input(*value)) continue;
    map_extents(*value, number);
    if (!detail::is_input(*value) || value->evaluated() || value->stands_for) continue;
    if (const Tensor* const real = real_of(*value)) {
      value->stands_for = reference_to(*target_of(real->lazy().get()));
    } else {
      release_own_input(*value);
    }
  }
}

// Random state, and state that the run created, are what they would have been.
SINTER_INLINE void Run::release_own_input(Lazy& input) {
  for (const CreatedState& state : recorder().created()) {
    if (state.placeholder.lazy().get() == &input) input.stands_for = state.initial.lazy();
  }
  if (input.stands_for || !recorder().is_random()) return;
  const Storage element = Storage::allocate(sizeof(std::int64_t));
  std::memcpy(element.data(), random_input(input), sizeof(std::int64_t));
  input.elements.push_back(element);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
