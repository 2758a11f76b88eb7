#pragma once

#include <exception>  // std::exception
#include <mutex>      // std::lock_guard

#include <sinter/base/log.hpp>
#include <sinter/jit/lower/lower.hpp>
#include <sinter/jit/state/background.hpp>
#include <sinter/jit/state/state.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

// Compiles `graph` and passes the result to `finish` under the mutex. Warns once about failures.
template <class Finish>
void State::compile_and_finish(const Graph& graph, const LowerOptions& options,
                               Finish finish) noexcept {
  const LogScope logs(name_);
  try {
    LowerOptions affordable = options;
    apply_budget(graph, affordable);
    const LoweredProgram lowered = jit::lower(graph, affordable);
    const std::lock_guard lock(mutex_);
    note_work(lowered.work);
    finish(lowered);
  } catch (const std::exception& error) {
    note_background_failure(error);
  }
}

SINTER_INLINE void CompileVariant::run() noexcept {
  const SharedPtr<State> state = state_.lock();
  if (state == nullptr) return;
  const LowerOptions options =
      state->lower_options(interim_->recording.updates(), interim_->recording.device);
  state->compile_and_finish(interim_->recording.graph, options, [&](const LoweredProgram& lowered) {
    state->replace(interim_, lowered);
  });
}

SINTER_INLINE void CompileSegment::run() noexcept {
  const SharedPtr<State> state = state_.lock();
  if (state == nullptr) return;
  // Updates are numbered by graph input, as they were for the interim program.
  const LowerOptions options = state->lower_options(interim_->updates, interim_->device);
  state->compile_and_finish(interim_->graph, options, [&](const LoweredProgram& lowered) {
    auto segment = make_shared_ptr<Segment>(*interim_);
    if (segment->callee != nullptr) segment->callee = state->callee(interim_->graph, options);
    segment->is_interim = false;
    segment->runnable =
        runnable_of(interim_->graph, options.updates, lowered.program, lowered.symbols);
    for (std::size_t i = 0; i < segment->runnable.outputs.size(); ++i) {
      segment->runnable.outputs[i].updates = interim_->runnable.outputs[i].updates;
    }
    state->interim_programs_.erase(interim_->runnable.program);
    state->programs_.insert(lowered.program);
    state->segments_.replace(key_, *interim_, std::move(segment));
  });
}

SINTER_INLINE void compile_in_background(WeakPtr<State> state, SharedPtr<const Variant> interim) {
  runtime::run_in_background(make_shared_ptr<CompileVariant>(std::move(state), std::move(interim)));
}

SINTER_INLINE void compile_in_background(WeakPtr<State> state, const Hash& key,
                                         SharedPtr<const Segment> interim) {
  runtime::run_in_background(
      make_shared_ptr<CompileSegment>(std::move(state), key, std::move(interim)));
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
