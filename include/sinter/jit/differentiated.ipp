#pragma once

#include <algorithm>  // std::any_of, std::find
#include <atomic>     // std::atomic
#include <cstring>    // std::memcpy
#include <exception>  // std::exception
#include <map>        // std::map
#include <mutex>      // std::lock_guard
#include <utility>    // std::exchange

#include <sinter/autodiff/partition.hpp>
#include <sinter/jit/differentiated.hpp>
#include <sinter/jit/state.hpp>
#include <sinter/runtime/background.hpp>
#include <sinter/trace/body.hpp>
#include <sinter/trace/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// Each choice of leaves has a number, which is part of the scope of a call.
struct WantedChoices {
  ProcessMutex mutex{};
  std::map<std::vector<bool>, std::uint64_t> numbers{};
  std::map<std::uint64_t, const std::vector<bool>*> flags{};
};

SINTER_INLINE WantedChoices& wanted_choices() {
  static auto& choices = *new WantedChoices;
  return choices;
}

SINTER_INLINE std::uint64_t number_of(std::vector<bool> flags) {
  WantedChoices& choices = wanted_choices();
  const std::lock_guard lock(choices.mutex);
  const auto [entry, is_new] =
      choices.numbers.try_emplace(std::move(flags), choices.numbers.size() + 1);
  if (is_new) choices.flags[entry->second] = &entry->first;
  return entry->second;
}

SINTER_INLINE std::atomic<bool>& compiled_gradients_flag() {
  static auto& flag = *new std::atomic<bool>(false);
  return flag;
}

SINTER_INLINE std::string wanted_text() {
  const std::vector<bool>* const flags = wanted_leaves();
  if (flags == nullptr) return "none";
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < flags->size(); ++i) {
    if ((*flags)[i]) positions.push_back(i);
  }
  return text("of the tensors ", positions, " of ", flags->size());
}

}  // namespace detail

SINTER_INLINE bool has_compiled_gradients() {
  return detail::compiled_gradients_flag().load(std::memory_order_relaxed);
}

SINTER_INLINE const std::vector<bool>* wanted_leaves() {
  if (detail::wanted_scope == 0) return nullptr;
  detail::WantedChoices& choices = detail::wanted_choices();
  const std::lock_guard lock(choices.mutex);
  return choices.flags.at(detail::wanted_scope);
}

SINTER_INLINE WantedScope::WantedScope(const AnyCall& call)
    : outer_(std::exchange(detail::wanted_scope, 0)) {
  if (active_differentiations() == 0) return;
  std::vector<bool> flags;
  for (const guard::Leaf& leaf : call.signature().leaves.list) {
    flags.push_back(is_floating(leaf.tensor->dtype()) && depends_on_variable(*leaf.tensor));
  }
  const bool any = std::find(flags.begin(), flags.end(), true) != flags.end();
  if (any) detail::wanted_scope = detail::number_of(std::move(flags));
}

SINTER_INLINE WantedScope::~WantedScope() { detail::wanted_scope = outer_; }

SINTER_INLINE void save_for_gradients(Recording& recording, std::span<const Tensor> leaves,
                                      std::span<const Tensor> placeholders) {
  const std::vector<bool>* const flags = wanted_leaves();
  if (flags == nullptr) return;
  Graph& graph = recording.graph;
  recording.wanted.assign(graph.inputs.size(), false);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (std::size_t k = 0; k < placeholders.size() && k < flags->size(); ++k) {
      if (placeholders[k].lazy() == leaves[i].lazy()) recording.wanted[i] = (*flags)[k];
    }
  }
  recording.varying = autodiff::varying_outputs(graph, recording.wanted);
  for (const Value value : autodiff::saved_values(graph, recording.wanted)) {
    graph.outputs.push_back(value);
  }
}

SINTER_INLINE std::shared_ptr<const Callee> CompiledCallee::with(Graph graph) const {
  return std::make_shared<CompiledCallee>(std::move(graph), options_, state_);
}

SINTER_INLINE std::shared_ptr<const CompiledCallee> CompiledCallee::outside(Graph graph) const {
  const LowerOptions options{.backend = options_.backend, .numerics = Numerics::strict};
  return std::make_shared<CompiledCallee>(std::move(graph), options, state_, true);
}

SINTER_INLINE bool CompiledCallee::is_frozen() const {
  const auto state = state_.lock();
  return state != nullptr && state->is_frozen();
}

SINTER_INLINE bool CompiledCallee::is_compiled_later() const {
  const auto state = state_.lock();
  return state != nullptr && state->options().background && !state->demands_code();
}

/// A callee to be compiled in the background.
class CompileCallee : public runtime::BackgroundJob {
 public:
  CompileCallee(std::weak_ptr<const CompiledCallee> callee, Device device)
      : callee_(std::move(callee)), device_(device) {}
  void run() noexcept override {
    if (const auto callee = callee_.lock()) callee->compile_now(device_);
  }

 private:
  std::weak_ptr<const CompiledCallee> callee_;
  Device device_;
};

SINTER_INLINE void CompiledCallee::refuse() const {
  state_.lock()->refuse({.leaf = "a derivative of the call",
                         .expected = "one that was compiled",
                         .found = "another",
                         .fix = text("find the derivative once before ",
                                     is_frozen() ? "freeze" : "the stance is set")});
}

SINTER_INLINE OnMiss CompiledCallee::on_miss(std::uint64_t evaluation) const {
  const auto state = state_.lock();
  if (state == nullptr) return OnMiss::compile;
  if (!is_outside_) return state->on_miss_of_derived(evaluation);
  return state->is_frozen() ? OnMiss::interpret : OnMiss::compile;
}

SINTER_INLINE std::shared_ptr<const Runnable> CompiledCallee::lowered(
    const LowerOptions& options) const {
  Lowered lowered = lower(graph(), options);
  const auto state = is_outside_ ? nullptr : state_.lock();
  if (state != nullptr) state->note_work_of(lowered);
  return std::make_shared<const Runnable>(
      runnable_of(graph(), {}, std::move(lowered.program), std::move(lowered.symbols)));
}

SINTER_INLINE std::shared_ptr<const Runnable> CompiledCallee::runnable_on(
    Device device, std::uint64_t evaluation) const {
  const std::lock_guard lock(mutex_);
  for (const auto& known : runnables_) {
    if (known->program->device() == device) return known;
  }
  LowerOptions options = options_;
  options.device = device;
  const bool is_new =
      options.backend == Backend::fused && known_program(graph(), options) == nullptr;
  const OnMiss on_miss = is_new ? this->on_miss(evaluation) : OnMiss::compile;
  const bool is_passing = on_miss == OnMiss::interpret, is_later = is_new && is_compiled_later();
  if (on_miss == OnMiss::refuse) refuse();
  if (is_passing || is_later) interpret(options);
  std::shared_ptr<const Runnable> result = lowered(options);
  if (is_passing) return result;
  runnables_.push_back(result);
  const auto state = is_outside_ ? nullptr : state_.lock();
  if (state != nullptr && state->demands_code()) state->require_code(*result->program);
  if (is_later)
    runtime::run_in_background(std::make_shared<CompileCallee>(weak_from_this(), device));
  return result;
}

SINTER_INLINE void CompiledCallee::compile_now(Device device) const noexcept {
  LowerOptions options = options_;
  options.device = device;
  try {
    auto compiled = lowered(options);
    const std::lock_guard lock(mutex_);
    for (auto& known : runnables_) {
      if (known->program->device() == device) known = std::move(compiled);
    }
  } catch (const std::exception& error) {
    if (const auto state = state_.lock()) state->note_background_failure(error);
  }
}

SINTER_INLINE std::vector<Storage> CompiledCallee::run(std::span<const Storage> inputs,
                                                       std::span<const std::int64_t> sizes,
                                                       Device device, Where where,
                                                       std::uint64_t evaluation) const {
  const std::shared_ptr<const Runnable> runnable = runnable_on(device, evaluation);
  Memory memory;
  memory.where = where;
  for (const Storage& input : inputs) memory.inputs.push_back(input.data());
  for (const std::int32_t input : runnable->program->kept_inputs()) {
    memory.kept_from.push_back(&inputs[static_cast<std::size_t>(input)]);
  }
  jit::run(*runnable, {}, sizes, memory);
  const auto state = is_outside_ ? nullptr : state_.lock();
  if (state != nullptr) state->note_derived(runnable, sizes);
  return std::move(memory.owned);
}

namespace detail {

// A value with these elements, which nobody else computes.
SINTER_INLINE void give_elements(Lazy& lazy, std::vector<Storage> elements) {
  lazy.elements = std::move(elements);
  lazy.set_device(lazy.elements[0].device());
  lazy.is_ready.store(true, std::memory_order_release);
  values_with_operands->push_back(reference_to(lazy));
}

SINTER_INLINE LazyValue evaluated_operand(TensorType type, Storage elements) {
  return {make_evaluated(std::move(type), std::move(elements)), 0};
}

SINTER_INLINE LazyValue evaluated_operand(TensorType type, const void* element) {
  Storage copy = Storage::allocate(info(type.dtype).size);
  std::memcpy(copy.data(), element, info(type.dtype).size);
  return evaluated_operand({type.dtype, {}}, std::move(copy));
}

}  // namespace detail

SINTER_INLINE std::vector<Tensor> remembering(CalledValues values, const std::vector<bool>& wanted,
                                              Where where) {
  Node node = call_of(std::move(values.callee), std::move(values.sizes));
  node.where = where;
  for (TensorType& type : values.types) node.results.push_back(std::move(type));
  const std::vector<Storage> elements = values.elements;
  detail::compiled_gradients_flag().store(true, std::memory_order_relaxed);
  const LazyRef call = make_lazy(std::move(node), std::move(values.operands), 0);
  detail::give_elements(*call, std::move(values.elements));
  std::vector<Tensor> results(elements.size());
  for (std::uint32_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    results[i] = sinter::detail::result_of(call, i, where);
    if (results[i].lazy() != call) detail::give_elements(*results[i].lazy(), {elements[i]});
  }
  return results;
}

SINTER_INLINE void remember_call(const Variant& variant, std::span<const guard::Leaf> leaves,
                                 std::span<const std::int64_t> symbols, Memory& memory) {
  const Recording& recording = variant.recording;
  CalledValues values{.callee = variant.callee, .sizes = {symbols.begin(), symbols.end()}};
  for (const guard::Leaf& leaf : leaves) {
    values.operands.push_back({leaf.tensor->lazy(), leaf.tensor->result()});
  }
  if (recording.is_random) {
    for (const std::int64_t number : memory.random_state) {
      values.operands.push_back(detail::evaluated_operand({i64, {}}, &number));
    }
  }
  const std::size_t first = recording.graph.inputs.size() - recording.captured.size();
  for (std::size_t i = 0; i < recording.captured.size(); ++i) {
    const TensorType& type = recording.graph.type(recording.graph.inputs[first + i]);
    values.operands.push_back(
        detail::evaluated_operand(type_with(type, symbols), recording.captured[i]));
  }
  for (const Tensor& tensor : memory.tensors) {
    values.types.push_back(tensor.type());
    values.elements.push_back(tensor.lazy()->elements[0]);
  }
  const std::vector<Tensor> results =
      remembering(std::move(values), recording.varying, memory.where);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].defined()) memory.tensors[i] = results[i];
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
