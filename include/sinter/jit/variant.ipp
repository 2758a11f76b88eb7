#pragma once

#include <cstring>   // std::memmove
#include <optional>  // std::optional

#include <sinter/device/cuda_copy.hpp>
#include <sinter/device/cuda_memory.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/jit/variant.hpp>
#include <sinter/runtime/plan_memory.hpp>
#include <sinter/symbol/evaluate.hpp>
#include <sinter/trace/evaluate.hpp>
#include <sinter/trace/extract.hpp>
#include <sinter/trace/random.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE std::int64_t bytes_of(const TensorType& type, std::span<const std::int64_t> symbols) {
  return evaluate(numel(type.shape), symbols) * static_cast<std::int64_t>(info(type.dtype).size);
}

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

// The leaf whose memory `output` may take; null if there is none.
SINTER_INLINE const Tensor* updated_leaf(const OutputInfo& output,
                                         std::span<const guard::Leaf> leaves) {
  if (output.updates < 0) return nullptr;
  const Tensor* const leaf = leaves[static_cast<std::size_t>(output.updates)].tensor;
  return is_only_holder(*leaf) ? leaf : nullptr;
}

SINTER_INLINE void take_output(Memory& memory, std::size_t bytes, Device device,
                               const Tensor* leaf) {
  const Storage* const old = leaf == nullptr ? nullptr : &leaf->lazy()->elements[0];
  const bool in_place = old != nullptr && old->bytes() == bytes && old->device() == device;
  if (in_place) old->forget_derived();
  memory.owned.push_back(in_place ? Storage()
                                  : Storage::allocate(bytes, device, memory.where,
                                                      memory.is_expression
                                                          ? "a result of an expression"
                                                          : "a result of a compiled call"));
  memory.outputs.push_back(in_place ? old->data() : memory.owned.back().data());
}

SINTER_INLINE std::int64_t bytes_in_call(const OutputInfo& output,
                                         std::span<const std::int64_t> symbols) {
  return output.bytes >= 0 ? output.bytes : bytes_of(output.type, symbols);
}

SINTER_INLINE void copy_memory(Device device, void* to, const void* from, std::size_t bytes) {
  if (device.is_cpu()) {
    std::memmove(to, from, bytes);
    return;
  }
  const Storage there = memory_at(device, from);
  copy_bytes(memory_at(device, to), there ? there : Storage::borrow(from, bytes));
}

// Outputs that are an input or another output, reshaped at most.
SINTER_INLINE void copy_passed_through(const Runnable& runnable, const Memory& memory,
                                       std::span<const std::int64_t> symbols) {
  for (std::size_t i = 0; i < runnable.outputs.size(); ++i) {
    const OutputInfo& output = runnable.outputs[i];
    if (!output.is_passed_through) continue;
    const auto position = static_cast<std::size_t>(output.source);
    const void* const source =
        output.source_is_input ? memory.inputs[position] : memory.outputs[position];
    const auto bytes = static_cast<std::size_t>(bytes_in_call(output, symbols));
    if (bytes != 0 && source != memory.outputs[i]) {
      copy_memory(runnable.program->device(), memory.outputs[i], source, bytes);
    }
  }
}

SINTER_INLINE void take_outputs(const Runnable& runnable, std::span<const guard::Leaf> leaves,
                                std::span<const std::int64_t> symbols, Memory& memory) {
  memory.outputs.clear(), memory.owned.clear();
  memory.allocations = 0, memory.moved = -1;
  for (const OutputInfo& output : runnable.outputs) {
    const auto bytes = static_cast<std::size_t>(bytes_in_call(output, symbols));
    const Device device = runnable.program->device();
    const Tensor* const leaf = updated_leaf(output, leaves);
    take_output(memory, bytes, device, leaf);
    if (!memory.owned.back()) continue;
    ++memory.allocations;
    // What comes from the host to a GPU moves once, though nothing else holds it.
    const bool comes = leaf != nullptr && leaf->lazy()->elements[0].device() != device;
    if (output.updates >= 0 && !comes) memory.moved = output.updates;
  }
}

// Behind the storages of the inputs, those of the outputs.
SINTER_INLINE void tell_outputs(const Runnable& runnable, std::span<const guard::Leaf> leaves,
                                Memory& memory) {
  if (memory.kept_from.size() < memory.inputs.size()) return;
  memory.kept_from.resize(memory.inputs.size());
  for (std::size_t i = 0; i < memory.owned.size(); ++i) {
    const bool is_given = i < memory.tensors.size() && memory.tensors[i].defined();
    const auto leaf = static_cast<std::size_t>(runnable.outputs[i].updates);
    memory.kept_from.push_back(memory.owned[i] ? &memory.owned[i]
                               : is_given      ? &memory.tensors[i].lazy()->elements[0]
                                               : &leaves[leaf].tensor->lazy()->elements[0]);
  }
}

SINTER_INLINE void execute(const Runnable& runnable, std::span<const guard::Leaf> leaves,
                           std::span<const std::int64_t> symbols, Memory& memory) {
  if (runnable.program->device().is_cuda()) tell_outputs(runnable, leaves, memory);
  memory.symbols.clear();
  for (const std::uint32_t symbol : runnable.symbols) memory.symbols.push_back(symbols[symbol]);
  runnable.program->run(memory.inputs, memory.outputs, memory.symbols, memory.where,
                        memory.kept_from);
  copy_passed_through(runnable, memory, symbols);
}

// The new tensors of a call, in the memory that it is about to write.
SINTER_INLINE void make_tensors(const Runnable& runnable, std::span<const std::int64_t> symbols,
                                Memory& memory) {
  memory.tensors.clear();
  for (std::size_t i = 0; i < runnable.outputs.size(); ++i) {
    if (!memory.owned[i]) {
      memory.tensors.push_back(Tensor());  // the leaf is its own new value
      continue;
    }
    const OutputInfo& output = runnable.outputs[i];
    const TensorType& type = output.type;
    memory.tensors.emplace_back(make_evaluated(
        output.bytes >= 0 ? type : concrete_type(type, symbols), std::move(memory.owned[i])));
  }
}

// A GPU has not so much memory: says what the whole call takes of it, and what is kept.
[[noreturn]] SINTER_INLINE void throw_with_plan(const Runnable& runnable,
                                                std::span<const std::int64_t> symbols,
                                                Report report) {
  const schedule::Plan* const plan = runnable.program->plan();
  if (plan == nullptr) throw ValueError(report);
  std::vector<schedule::Update> updates;
  for (std::size_t i = 0; i < runnable.outputs.size(); ++i) {
    const std::int32_t input = runnable.outputs[i].updates;
    if (input >= 0) updates.push_back({input, static_cast<std::int32_t>(i)});
  }
  for (auto& fact : runtime::memory_facts(*plan, updates, program_symbols(runnable, symbols))) {
    report.facts.push_back(std::move(fact));
  }
  const Device device = runnable.program->device();
  const std::size_t kept = runtime::bytes_of_arenas(CudaContext::of(device));
  if (kept != 0) {
    report.facts.push_back({"graphs", text("keep ", kept, " bytes for the next calls")});
    report.fix += "; with Mode::standard nothing is kept between calls";
  }
  throw ValueError(report);
}

// Unless the call succeeds, lets go of what it would have given.
struct Outcome {
  Memory& memory;
  bool is_good = false;
  ~Outcome() {
    if (!is_good) memory.owned.clear(), memory.tensors.clear();
  }
};

}  // namespace detail

SINTER_INLINE Runnable runnable_of(const Graph& graph, std::span<const schedule::Update> updates,
                                   std::shared_ptr<const Program> program,
                                   std::vector<std::uint32_t> symbols) {
  std::vector<OutputInfo> outputs;
  for (const Value value : graph.outputs) {
    OutputInfo output{.type = graph.type(value)};
    if (is_static(output.type.shape)) output.bytes = detail::bytes_of(output.type, {});
    outputs.push_back(output);
  }
  for (const schedule::Update& update : updates) {
    outputs[static_cast<std::size_t>(update.output)].updates = update.input;
  }
  if (program->plan() != nullptr) {
    const schedule::Plan& plan = *program->plan();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const schedule::Buffer& buffer = plan.buffers[static_cast<std::size_t>(plan.outputs[i])];
      outputs[i].source = buffer.position;
      outputs[i].source_is_input = buffer.home == schedule::Home::input;
      const bool is_own =
          buffer.home == schedule::Home::output && buffer.position == static_cast<std::int32_t>(i);
      outputs[i].is_passed_through = !is_own;
    }
  }
  return {std::move(program), std::move(outputs), std::move(symbols)};
}

SINTER_INLINE std::vector<std::int64_t> program_symbols(const Runnable& runnable,
                                                        std::span<const std::int64_t> symbols) {
  std::vector<std::int64_t> result;
  for (const std::uint32_t symbol : runnable.symbols) result.push_back(symbols[symbol]);
  return result;
}

// Leaves and captured elements; null for the state of random numbers.
SINTER_INLINE void bind_kept(const Variant& variant, std::span<const guard::Leaf> leaves,
                             Memory& memory) {
  memory.kept_from.clear();
  const std::size_t random = variant.recording.is_random ? 2 : 0;
  for (const std::int32_t input : variant.runnable.program->kept_inputs()) {
    const auto at = static_cast<std::size_t>(input);
    memory.kept_from.push_back(at < leaves.size() ? &elements_of(*leaves[at].tensor)
                               : at < leaves.size() + random
                                   ? nullptr
                                   : &variant.recording.captured[at - leaves.size() - random]);
  }
}

SINTER_INLINE void bind_inputs(const Variant& variant, std::span<const guard::Leaf> leaves,
                               Memory& memory, Where where) {
  memory.where = where;
  memory.inputs.clear();
  for (const guard::Leaf& leaf : leaves) {
    memory.inputs.push_back(elements_of(*leaf.tensor, where).data());
  }
  if (variant.recording.is_random) {
    memory.inputs.push_back(&memory.random_state[0]);
    memory.inputs.push_back(&memory.random_state[1]);
  }
  for (const Storage& captured : variant.recording.captured) {
    memory.inputs.push_back(captured.data());
  }
  bind_kept(variant, leaves, memory);
}

SINTER_INLINE void run(const Runnable& runnable, std::span<const guard::Leaf> leaves,
                       std::span<const std::int64_t> symbols, Memory& memory) {
  detail::Outcome outcome{memory};
  try {
    detail::take_outputs(runnable, leaves, symbols, memory);
    detail::execute(runnable, leaves, symbols, memory);
  } catch (const CudaOutOfMemory& error) {
    detail::throw_with_plan(runnable, symbols, error.report);
  }
  outcome.is_good = true;
}

SINTER_INLINE std::span<Tensor> run(const Variant& variant, std::span<const guard::Leaf> leaves,
                                    std::span<const std::int64_t> symbols, Memory& memory) {
  if (variant.recording.is_random) {
    memory.draw.emplace(variant.recording.draws);
    memory.random_state[0] = memory.draw->state().seed;
    memory.random_state[1] = memory.draw->state().offset;
  }
  detail::Outcome outcome{memory};
  try {
    detail::take_outputs(variant.runnable, leaves, symbols, memory);
    detail::make_tensors(variant.runnable, symbols, memory);  // all that can fail, before it runs
    detail::execute(variant.runnable, leaves, symbols, memory);
  } catch (const CudaOutOfMemory& error) {
    detail::throw_with_plan(variant.runnable, symbols, error.report);
  }
  outcome.is_good = true;
  return memory.tensors;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
