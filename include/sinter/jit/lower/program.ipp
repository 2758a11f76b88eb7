#pragma once

#include <cstring>  // std::memcpy, std::memmove

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/device/host/copy.hpp>
#include <sinter/device/host/gpu.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/jit/interface/parts.hpp>
#include <sinter/jit/lower/lowering_probe.hpp>
#include <sinter/jit/lower/program.hpp>
#include <sinter/runtime/host/background.hpp>
#include <sinter/runtime/host/memory_report.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/symbol/solve/evaluate.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/core/extract.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE LoweredProgram interpreted_program(Graph graph, Device device) {
  using OnGpu = UniquePtr<runtime::GpuExecutable>;
  return {make_shared_ptr<const Program>(std::move(graph), OnGpu(), Vector<Source>{}, device)};
}

SINTER_INLINE SharedPtr<Tuner> tuner_of(const schedule::Plan& plan, compiler::TranslationUnit& unit,
                                        const LowerOptions& options,
                                        SharedPtr<const TuningTarget> target) {
  if (!options.tunes) return nullptr;
  return make_shared_ptr<Tuner>(plan, unit,
                                TunerOptions{.target = std::move(target),
                                             .seconds = options.tuning_seconds,
                                             .in_background = options.tunes_in_background});
}

SINTER_INLINE std::int64_t bytes_of(const TensorType& type, Span<const std::int64_t> symbols) {
  return evaluate(numel(type.shape), symbols) * static_cast<std::int64_t>(info(type.dtype).size);
}

SINTER_INLINE TensorType concrete_type(const TensorType& type, Span<const std::int64_t> symbols) {
  TensorType result{type.dtype, {}};
  for (const Extent& extent : type.shape) {
    result.shape.push_back(extent.is_number() ? extent : Extent(evaluate(extent, symbols)));
  }
  return result;
}

// True if no other handle sees changes of the memory.
SINTER_INLINE bool is_only_holder(const Tensor& tensor) {
  const Lazy& lazy = *tensor.lazy();
  if (lazy.references.load(MemoryOrder::acquire) != 1 || lazy.stands_for) return false;
  const Storage& elements = lazy.elements[0];
  return elements.unique() && !elements.borrowed();
}

// The leaf that `output` updates in place; null if there is none.
SINTER_INLINE const Tensor* updated_leaf(const OutputInfo& output, Span<const guard::Leaf> leaves) {
  if (output.updates < 0) return nullptr;
  const Tensor* const leaf = leaves[static_cast<std::size_t>(output.updates)].tensor;
  return is_only_holder(*leaf) ? leaf : nullptr;
}

SINTER_INLINE void allocate_output(CallMemory& memory, std::size_t bytes, Device device,
                                   const Tensor* leaf) {
  const Storage* const old = leaf == nullptr ? nullptr : &leaf->lazy()->elements[0];
  const bool in_place = old != nullptr && old->bytes() == bytes && old->device() == device;
  if (in_place) old->drop_attachments();
  memory.owned.push_back(in_place ? Storage()
                                  : Storage::allocate(bytes, device, memory.where,
                                                      memory.is_expression
                                                          ? "a result of an expression"
                                                          : "a result of a compiled call"));
  memory.outputs.push_back(in_place ? old->data() : memory.owned.back().data());
}

SINTER_INLINE std::int64_t bytes_in_call(const OutputInfo& output,
                                         Span<const std::int64_t> symbols) {
  return output.bytes >= 0 ? output.bytes : bytes_of(output.type, symbols);
}

SINTER_INLINE void copy_memory(Device device, void* to, const void* from, std::size_t bytes) {
  if (device.is_cpu()) {
    std::memmove(to, from, bytes);
    return;
  }
  const GpuBackend& gpus = gpus_for(device, {});
  const Storage there = gpus.memory_at(device, from);
  copy_bytes(gpus.memory_at(device, to), there ? there : Storage::borrow(from, bytes));
}

// Copies outputs that are an input or another output, possibly reshaped.
SINTER_INLINE void copy_passed_through(const Runnable& runnable, const CallMemory& memory,
                                       Span<const std::int64_t> symbols) {
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

SINTER_INLINE void allocate_outputs(const Runnable& runnable, Span<const guard::Leaf> leaves,
                                    Span<const std::int64_t> symbols, CallMemory& memory) {
  memory.outputs.clear(), memory.owned.clear();
  memory.allocations = 0, memory.moved = -1;
  const bool keeps_inputs = checks_numerics();  // it reads them again where it finds something
  for (const OutputInfo& output : runnable.outputs) {
    const auto bytes = static_cast<std::size_t>(bytes_in_call(output, symbols));
    const Device device = runnable.program->device();
    const Tensor* const leaf = keeps_inputs ? nullptr : updated_leaf(output, leaves);
    allocate_output(memory, bytes, device, leaf);
    if (!memory.owned.back()) continue;
    ++memory.allocations;
    // A leaf that comes from the host to a GPU moves once, even if nothing else holds it.
    const bool comes_from_host = leaf != nullptr && leaf->lazy()->elements[0].device() != device;
    if (output.updates >= 0 && !comes_from_host) memory.moved = output.updates;
  }
}

// Appends the storages of the outputs to those of the inputs.
SINTER_INLINE void append_output_storages(const Runnable& runnable, Span<const guard::Leaf> leaves,
                                          CallMemory& memory) {
  if (memory.packed_from.size() < memory.inputs.size()) return;
  memory.packed_from.resize(memory.inputs.size());
  for (std::size_t i = 0; i < memory.owned.size(); ++i) {
    const bool is_given = i < memory.tensors.size() && memory.tensors[i].defined();
    const auto leaf = static_cast<std::size_t>(runnable.outputs[i].updates);
    memory.packed_from.push_back(memory.owned[i] ? &memory.owned[i]
                                 : is_given      ? &memory.tensors[i].lazy()->elements[0]
                                                 : &leaves[leaf].tensor->lazy()->elements[0]);
  }
}

SINTER_INLINE void execute(const Runnable& runnable, Span<const guard::Leaf> leaves,
                           Span<const std::int64_t> symbols, CallMemory& memory) {
  if (runnable.program->device().is_cuda()) append_output_storages(runnable, leaves, memory);
  memory.symbols.clear();
  for (const std::uint32_t symbol : runnable.symbols) memory.symbols.push_back(symbols[symbol]);
  if (lowering_probe != nullptr) lowering_probe->runs(runnable, memory);
  if (checks_numerics()) {
    if (parts().run_checked == nullptr) throw_left_out("SINTER_CHECK=nan");
    parts().run_checked(*runnable.program, memory);
  } else {
    runnable.program->run(memory.inputs, memory.outputs, memory.symbols, memory.where,
                          memory.packed_from);
  }
  copy_passed_through(runnable, memory, symbols);
  if (lowering_probe != nullptr) lowering_probe->ran(runnable, memory, symbols);
}

SINTER_INLINE void make_tensors(const Runnable& runnable, Span<const std::int64_t> symbols,
                                CallMemory& memory) {
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

[[noreturn]] SINTER_INLINE void throw_with_plan(const Runnable& runnable,
                                                Span<const std::int64_t> symbols, Report report) {
  const schedule::Plan* const plan = runnable.program->plan();
  if (plan == nullptr) throw ValueError(report);
  Vector<schedule::Update> updates;
  for (std::size_t i = 0; i < runnable.outputs.size(); ++i) {
    const std::int32_t input = runnable.outputs[i].updates;
    if (input >= 0) updates.push_back({input, static_cast<std::int32_t>(i)});
  }
  for (auto& fact : runtime::memory_facts(*plan, updates, program_symbols(runnable, symbols))) {
    report.facts.push_back(std::move(fact));
  }
  const std::size_t kept = runnable.program->kept_bytes();
  if (kept != 0) {
    report.facts.push_back({"graphs", text("keep ", kept, " bytes for the next calls")});
    report.fix += "; with Mode::standard nothing is kept between calls";
  }
  throw ValueError(report);
}

// Runs partitions one after the other and holds their values.
class PartitionRunner {
 public:
  PartitionRunner(const PartitionedGraph& partitions, Span<void* const> inputs,
                  Span<void* const> outputs, Span<const std::int64_t> symbols,
                  Span<const Storage* const> packed_from)
      : partitioned_(partitions), outputs_(outputs), symbols_(symbols) {
    memory_.resize(partitions.values.size()), storages_.resize(partitions.values.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      memory_[i] = inputs[i];
      if (i < packed_from.size()) storages_[i] = packed_from[i];
    }
    owned_.resize(partitions.values.size());
  }

  void run(Device device, Where where) {
    for (const Partition& partition : partitioned_.list) run(partition, device, where);
    copy_outputs(device);
  }

 private:
  void run(const Partition& partition, Device device, Where where) {
    CallMemory memory;
    memory.where = where;
    bool all_packed = true;
    for (const std::size_t value : partition.inputs) memory.inputs.push_back(memory_[value]);
    for (const std::int32_t input : partition.runnable.program->packed_inputs()) {
      memory.packed_from.push_back(storages_[partition.inputs[static_cast<std::size_t>(input)]]);
      all_packed = all_packed && memory.packed_from.back() != nullptr;
    }
    if (device.is_cpu() && !all_packed)
      memory.packed_from.clear();  // no packed inputs in this call
    for (const std::size_t value : partition.outputs) {
      owned_[value] = Storage::allocate(bytes(value), device, where, "a value between members");
      memory_[value] = owned_[value].data();
      if (device.is_cuda()) storages_[value] = &owned_[value];
      memory.owned.push_back(owned_[value]);
      memory.outputs.push_back(memory_[value]);
    }
    execute(partition.runnable, {}, symbols_, memory);
  }

  // Runs last, because the memory of an output may be that of an input.
  void copy_outputs(Device device) const {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const std::size_t value = partitioned_.outputs[i], size = bytes(value);
      if (size != 0) copy_memory(device, outputs_[i], memory_[value], size);
    }
  }

  std::size_t bytes(std::size_t value) const {
    return static_cast<std::size_t>(bytes_of(partitioned_.values[value], symbols_));
  }

  const PartitionedGraph& partitioned_;
  Span<void* const> outputs_;
  Span<const std::int64_t> symbols_;
  Vector<void*> memory_;
  Vector<const Storage*> storages_;  // null if no program packs the value
  Vector<Storage> owned_;
};

}  // namespace detail

SINTER_INLINE Runnable runnable_of(const Graph& graph, Span<const schedule::Update> updates,
                                   SharedPtr<const Program> program,
                                   Vector<std::uint32_t> symbols) {
  Vector<OutputInfo> outputs;
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
                                                        Span<const std::int64_t> symbols) {
  std::vector<std::int64_t> result;
  for (const std::uint32_t symbol : runnable.symbols) result.push_back(symbols[symbol]);
  return result;
}

SINTER_INLINE void run(const Runnable& runnable, Span<const guard::Leaf> leaves,
                       Span<const std::int64_t> symbols, CallMemory& memory) {
  detail::ReleaseOnFailure outcome{memory};
  try {
    detail::allocate_outputs(runnable, leaves, symbols, memory);
    detail::execute(runnable, leaves, symbols, memory);
  } catch (const GpuOutOfMemory& error) {
    detail::throw_with_plan(runnable, symbols, error.report);
  }
  outcome.succeeded = true;
}

SINTER_INLINE Program::Program(Graph graph, SharedPtr<const PartitionedGraph> partitions,
                               Device device)
    : graph_(std::move(graph)), partitioned_(std::move(partitions)), device_(device) {
  for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
    all_inputs_.push_back(static_cast<std::int32_t>(i));
  }
}

SINTER_INLINE Program::Program(Graph graph, SharedPtr<const CustomProgram> custom, Device device)
    : graph_(std::move(graph)), custom_(std::move(custom)), device_(device) {
  for (std::size_t i = 0; device.is_cuda() && i < graph_.inputs.size(); ++i) {
    all_inputs_.push_back(static_cast<std::int32_t>(i));
  }
}

SINTER_INLINE Vector<const Runnable*> Program::partitions() const {
  Vector<const Runnable*> result;
  if (partitioned_ == nullptr) return result;
  for (const Partition& partition : partitioned_->list) result.push_back(&partition.runnable);
  return result;
}

SINTER_INLINE bool Program::is_interpreted() const {
  if (partitioned_ == nullptr) return custom_ == nullptr && plan() == nullptr;
  return any_of(partitioned_->list, [](const Partition& partition) {
    return partition.options.backend == Backend::fused &&
           partition.runnable.program->is_interpreted();
  });
}

SINTER_INLINE void Program::run(Span<void* const> inputs, Span<void* const> outputs,
                                Span<const std::int64_t> symbols, Where where,
                                Span<const Storage* const> packed_from) const {
  if (partitioned_ != nullptr) {
    detail::PartitionRunner run(*partitioned_, inputs, outputs, symbols, packed_from);
    return run.run(device_, where);
  }
  if (custom_ != nullptr) return custom_->run(graph_, inputs, outputs, symbols, device_, where);
  if (device_.is_cuda()) {
    if (first_.on_gpu == nullptr) return interpret_for_gpu(inputs, outputs, symbols, where);
    if (tuner_ != nullptr && tuner_->take_ticket()) tune({inputs, symbols, packed_from});
    return current().on_gpu->run(inputs, outputs, symbols, where, packed_from);
  }
  if (executable() == nullptr) return interpret(inputs, outputs, symbols);
  if (tuner_ != nullptr && tuner_->take_ticket()) tune({inputs, symbols, packed_from});
  executable()->run(inputs, outputs, symbols, where, packed_from);
}

SINTER_INLINE runtime::GpuReplays Program::take_graphs() const {
  runtime::GpuReplays result;
  for (const Build* const build : {&first_, &current()}) {
    if (build->on_gpu == nullptr) continue;
    for (auto& one : build->on_gpu->take_replays()) result.push_back(std::move(one));
  }
  return result;
}

SINTER_INLINE Span<const std::int32_t> Program::packed_inputs() const {
  if (first_.executable == nullptr) return all_inputs_;
  return first_.executable->packed_inputs();
}

SINTER_INLINE void Program::interpret(Span<void* const> inputs, Span<void* const> outputs,
                                      Span<const std::int64_t> symbols) const {
  const auto bytes = [&](const TensorType& type) {
    return static_cast<std::size_t>(evaluate(numel(type.shape), symbols)) * info(type.dtype).size;
  };
  Vector<Storage> borrowed;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const TensorType& type = graph_.type(graph_.inputs[i]);
    borrowed.push_back(Storage::borrow(inputs[i], bytes(type)));
  }
  const Vector<Storage> results = runtime::interpret(graph_, borrowed, symbols);
  // Copies first, because the memory of an output may be that of an input that is a result.
  Vector<Vector<std::byte>> copies;
  for (const Storage& result : results) {
    const auto* const first = static_cast<const std::byte*>(result.data());
    copies.emplace_back(first, first + result.bytes());
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::size_t size = bytes(graph_.type(graph_.outputs[i]));
    if (size != 0) std::memcpy(outputs[i], copies[i].data(), size);
  }
}

// Interprets on host copies of the inputs.
SINTER_INLINE void Program::interpret_for_gpu(Span<void* const> inputs, Span<void* const> outputs,
                                              Span<const std::int64_t> symbols, Where where) const {
  const GpuBackend& gpus = gpus_for(device_, where);
  Vector<Storage> copies;
  Vector<void*> here, results;
  for (void* const input : inputs) {
    const Storage there = gpus.memory_at(device_, input);
    if (there) copies.push_back(copied_to(there, cpu(), where));
    here.push_back(there ? copies.back().data() : input);
  }
  Vector<Storage> computed;
  for (void* const output : outputs) {
    computed.push_back(Storage::allocate(gpus.memory_at(device_, output).bytes(), cpu(), where));
    results.push_back(computed.back().data());
  }
  interpret(here, results, symbols);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    copy_bytes(gpus.memory_at(device_, outputs[i]), computed[i], where);
  }
}

/// Times the kernels of a program on copies of a call's inputs, while the call proceeds.
class BackgroundTuning : public runtime::BackgroundJob {
 public:
  BackgroundTuning(SharedPtr<const Program> program, const TuningInputs& call);
  void run() noexcept override { program_->tune_now({pointers_, symbols_, packed_from_}); }

 private:
  SharedPtr<const Program> program_;
  Vector<Storage> copies_{};
  Vector<void*> pointers_{};
  Vector<const Storage*> packed_from_{};
  std::vector<std::int64_t> symbols_;
};

SINTER_INLINE BackgroundTuning::BackgroundTuning(SharedPtr<const Program> program,
                                                 const TuningInputs& call)
    : program_(std::move(program)), symbols_(call.symbols.begin(), call.symbols.end()) {
  const Graph& graph = program_->graph();
  const auto on_gpu = [&](const void* address) {
    const Device device = program_->device();
    return device.is_cuda() ? gpu_backend()->memory_at(device, address) : Storage();
  };
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const TensorType& type = graph.type(graph.inputs[i]);
    const auto elements = static_cast<std::size_t>(evaluate(numel(type.shape), symbols_));
    const std::size_t bytes = elements * info(type.dtype).size;
    if (const Storage there = on_gpu(call.inputs[i])) {
      copies_.push_back(copied_to(there, program_->device()));
      pointers_.push_back(copies_.back().data());
      continue;
    }
    copies_.push_back(Storage::allocate(bytes));
    pointers_.push_back(copies_.back().data());
    if (bytes != 0) std::memcpy(pointers_.back(), call.inputs[i], bytes);
  }
  for (const std::int32_t input : program_->packed_inputs()) {
    packed_from_.push_back(&copies_[static_cast<std::size_t>(input)]);
  }
}

SINTER_INLINE void Program::tune(const TuningInputs& call) const {
  if (!tuner_->options().in_background) return tune_now(call);
  try {
    runtime::run_in_background(make_shared_ptr<BackgroundTuning>(shared_from_this(), call));
  } catch (const ValueError& error) {  // not enough memory for the copies
    log(Log::autotune, text("nothing was tuned: ", error.what()));
  }
}

SINTER_INLINE void Program::tune_now(const TuningInputs& call) const {
  Optional<Build> build = tuner_->tune(graph_, first_, call);
  if (!build) return;
  tuned_ = std::move(*build);
  current_.store(&tuned_, std::memory_order_release);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
