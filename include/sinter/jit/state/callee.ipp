#pragma once

#include <exception>  // std::exception
#include <mutex>      // std::lock_guard

#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/jit/lower/lower.hpp>
#include <sinter/jit/lower/program_cache.hpp>
#include <sinter/jit/state/callee.hpp>
#include <sinter/jit/state/state.hpp>
#include <sinter/runtime/host/background.hpp>
#include <sinter/runtime/host/thread_pool.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE SharedPtr<const Callee> CompiledCallee::with(Graph graph) const {
  return make_shared_ptr<CompiledCallee>(std::move(graph), options_, state_);
}

SINTER_INLINE SharedPtr<const CompiledCallee> CompiledCallee::surrounding(Graph graph) const {
  const LowerOptions options{.backend = options_.backend, .numerics = Numerics::strict};
  return make_shared_ptr<CompiledCallee>(std::move(graph), options, state_, true);
}

SINTER_INLINE bool CompiledCallee::is_frozen() const {
  const auto state = state_.lock();
  return state != nullptr && state->is_frozen();
}

SINTER_INLINE bool CompiledCallee::compiles_in_background() const {
  const auto state = state_.lock();
  return state != nullptr && state->options().background && !state->requires_compiled();
}

/// Compiles a callee in the background.
class CompileCallee : public runtime::BackgroundJob {
 public:
  CompileCallee(WeakPtr<const CompiledCallee> callee, Device device)
      : callee_(std::move(callee)), device_(device) {}
  void run() noexcept override {
    if (const auto callee = callee_.lock()) callee->compile_now(device_);
  }

 private:
  WeakPtr<const CompiledCallee> callee_;
  Device device_;
};

SINTER_INLINE void CompiledCallee::refuse() const {
  state_.lock()->refuse({.leaf = "a derivative of the call",
                         .expected = "a compiled one",
                         .found = "a new one",
                         .fix = text("compute the derivative once before ",
                                     is_frozen() ? "freeze" : "the stance is set")});
}

SINTER_INLINE OnMiss CompiledCallee::on_miss(std::uint64_t evaluation) const {
  const auto state = state_.lock();
  if (state == nullptr) return OnMiss::compile;
  if (!is_surrounding_) return state->on_miss_of_derivative(evaluation);
  return state->is_frozen() ? OnMiss::interpret : OnMiss::compile;
}

SINTER_INLINE SharedPtr<const Runnable> CompiledCallee::lowered(const LowerOptions& options) const {
  const auto state = is_surrounding_ ? nullptr : state_.lock();
  const LogScope logs(state == nullptr ? std::string_view() : state->options().name);
  LoweredProgram lowered = lower(graph(), options);
  if (state != nullptr) state->note_work_of(lowered);
  return make_shared_ptr<const Runnable>(
      runnable_of(graph(), {}, std::move(lowered.program), std::move(lowered.symbols)));
}

SINTER_INLINE SharedPtr<const Runnable> CompiledCallee::runnable_on(
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
  const bool is_for_one_call = on_miss == OnMiss::interpret;
  if (on_miss == OnMiss::refuse) refuse();
  const auto state = is_surrounding_ ? nullptr : state_.lock();
  if (is_new && state != nullptr) state->apply_budget(graph(), options);
  const bool is_later = is_new && options.backend == Backend::fused && compiles_in_background();
  if (is_for_one_call || is_later) interpret(options);
  SharedPtr<const Runnable> result = lowered(options);
  if (is_for_one_call) return result;
  runnables_.push_back(result);
  if (state != nullptr && state->requires_compiled()) state->require_compiled(*result->program);
  if (is_later)
    runtime::run_in_background(make_shared_ptr<CompileCallee>(weak_from_this(), device));
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

SINTER_INLINE Vector<Storage> CompiledCallee::run(Span<const Storage> inputs,
                                                  Span<const std::int64_t> sizes, Device device,
                                                  Where where, std::uint64_t evaluation) const {
  const SharedPtr<const Runnable> runnable = runnable_on(device, evaluation);
  CallMemory memory;
  memory.where = where;
  for (const Storage& input : inputs) memory.inputs.push_back(input.data());
  for (const std::int32_t input : runnable->program->packed_inputs()) {
    memory.packed_from.push_back(&inputs[static_cast<std::size_t>(input)]);
  }
  const auto state = is_surrounding_ ? nullptr : state_.lock();
  const runtime::ThreadLimit threads(state == nullptr ? 0 : state->options().threads);
  if (state != nullptr) state->require_memory(*runnable, sizes);
  jit::run(*runnable, {}, sizes, memory);
  if (state != nullptr) state->note_derivative(runnable, sizes);
  return std::move(memory.owned);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
