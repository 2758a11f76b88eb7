#pragma once

#include <cstring>  // std::memmove

#include <sinter/jit/variant.hpp>
#include <sinter/symbol/evaluate.hpp>
#include <sinter/trace/evaluate.hpp>
#include <sinter/trace/extract.hpp>
#include <sinter/trace/random.hpp>

namespace sinter::inline SINTER_ABI::jit {

namespace detail {

SINTER_INLINE TensorType concrete_type(const TensorType& type,
                                       std::span<const std::int64_t> symbols) {
  TensorType result{type.dtype, {}};
  for (const Extent& extent : type.shape) {
    result.shape.push_back(extent.is_number() ? extent : Extent(evaluate(extent, symbols)));
  }
  return result;
}

// True if nobody but this handle would see the memory change.
SINTER_INLINE bool is_only_holder(const Tensor& tensor) {
  const Lazy& lazy = *tensor.lazy();
  if (lazy.references.load(std::memory_order_acquire) != 1 || lazy.stands_for) return false;
  const Storage& elements = lazy.elements[0];
  return elements.unique() && !elements.borrowed();
}

// The memory of a call: the pointers that the program gets, and what owns them.
struct CallMemory {
  std::vector<void*> inputs{}, outputs{};
  std::vector<Storage> owned{};          // of each output that is not updated in place
  std::vector<bool> is_in_place{};       // of each output
  std::int64_t random_state[2] = {0, 0};  // seed and offset
};

SINTER_INLINE void take_inputs(CallMemory& memory, const Variant& variant,
                               std::span<const guard::Leaf> leaves, Where where) {
  for (const guard::Leaf& leaf : leaves) {
    memory.inputs.push_back(elements_of(*leaf.tensor, where).data());
  }
  if (variant.recording.is_random) {
    const random::State state = random::next_state();
    memory.random_state[0] = state.seed;
    memory.random_state[1] = state.offset;
    memory.inputs.push_back(&memory.random_state[0]);
    memory.inputs.push_back(&memory.random_state[1]);
  }
  for (const Storage& captured : variant.recording.captured) {
    memory.inputs.push_back(captured.data());
  }
}

// The leaf whose memory output `output` may take; null if there is none.
SINTER_INLINE const Tensor* updated_leaf(const Recording& recording,
                                         std::span<const guard::Leaf> leaves, std::size_t output) {
  if (recording.changes_structure || output < recording.results) return nullptr;
  const Tensor* const leaf =
      leaves[static_cast<std::size_t>(recording.changed[output - recording.results])].tensor;
  return is_only_holder(*leaf) ? leaf : nullptr;
}

SINTER_INLINE void take_output(CallMemory& memory, const TensorType& type, const Tensor* leaf) {
  const std::size_t bytes =
      static_cast<std::size_t>(numel(type.shape).number()) * info(type.dtype).size;
  const bool in_place = leaf != nullptr && leaf->lazy()->elements[0].bytes() == bytes;
  memory.is_in_place.push_back(in_place);
  memory.owned.push_back(in_place ? Storage() : Storage::allocate(bytes));
  memory.outputs.push_back(in_place ? leaf->lazy()->elements[0].data()
                                    : memory.owned.back().data());
}

// An output that is an input, reshaped at most: no kernel writes it.
SINTER_INLINE void copy_passed_through(const Variant& variant, CallMemory& memory,
                                       std::span<const TensorType> types) {
  const runtime::Executable* const executable = variant.program->executable();
  if (executable == nullptr) return;
  const schedule::Plan& plan = executable->plan();
  for (std::size_t i = 0; i < types.size(); ++i) {
    const schedule::Buffer& buffer = plan.buffers[static_cast<std::size_t>(plan.outputs[i])];
    const auto position = static_cast<std::size_t>(buffer.position);
    const bool is_own = buffer.home == schedule::Home::output && position == i;
    if (is_own) continue;
    const void* const source = buffer.home == schedule::Home::input ? memory.inputs[position]
                                                                    : memory.outputs[position];
    const std::size_t bytes =
        static_cast<std::size_t>(numel(types[i].shape).number()) * info(types[i].dtype).size;
    if (bytes != 0 && source != memory.outputs[i]) {
      std::memmove(memory.outputs[i], source, bytes);
    }
  }
}

}  // namespace detail

SINTER_INLINE NewTensors run(const Variant& variant, std::span<const guard::Leaf> leaves,
                             std::span<const std::int64_t> symbols, Where where) {
  const Recording& recording = variant.recording;
  detail::CallMemory memory;
  detail::take_inputs(memory, variant, leaves, where);
  std::vector<TensorType> types;
  for (std::size_t i = 0; i < recording.graph.outputs.size(); ++i) {
    types.push_back(
        detail::concrete_type(recording.graph.type(recording.graph.outputs[i]), symbols));
    detail::take_output(memory, types.back(), detail::updated_leaf(recording, leaves, i));
  }
  variant.program->run(memory.inputs, memory.outputs, symbols);
  detail::copy_passed_through(variant, memory, types);
  NewTensors result;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (memory.is_in_place[i]) {
      result.push_back(Tensor());  // the leaf is its own new value
    } else {
      result.emplace_back(make_evaluated(types[i], std::move(memory.owned[i])));
    }
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::jit
