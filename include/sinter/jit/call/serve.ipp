#pragma once

#include <utility>  // std::move

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/time/phase.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/jit/call/repeat.hpp>
#include <sinter/jit/call/serve.hpp>
#include <sinter/jit/interface/requires_grad.hpp>
#include <sinter/jit/run/cache_miss.hpp>
#include <sinter/jit/state/differentiated.hpp>
#include <sinter/jit/state/report.hpp>
#include <sinter/jit/state/state.hpp>
#include <sinter/runtime/host/background.hpp>
#include <sinter/runtime/host/thread_pool.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// Throws ValueError unless the two recordings are equal.
SINTER_INLINE void require_same_recording(const Recording& recording, const Recording& again,
                                          Where where) {
  const bool equal = hash_with_symbols(recording.graph) == hash_with_symbols(again.graph) &&
                     recording.changed == again.changed &&
                     recording.source_leaves == again.source_leaves;
  if (equal) return;
  throw ValueError({.op = "SINTER_CHECK",
                    .what = "the function recorded other operations than before, for arguments "
                            "with the same signature",
                    .facts = {{"operations before", text(recording.graph.nodes.size())},
                              {"operations now", text(again.graph.nodes.size())}},
                    .rule = "what a compiled function records depends on its arguments only",
                    .fix = "pass what it depends on, as a global variable, as an argument",
                    .where = where,
                    .see = "traced-on-every-call"});
}

// SINTER_CHECK=1: records again the call that `frame.variant` serves, and compares.
SINTER_INLINE void check(const State& state, const CallFrame& frame, const AnyCall& call) {
  const CallSignature signature = call.signature();
  const Recording& recording = frame.variant->recording;
  Tracer tracer(signature.leaves, call, state.options(), {}, state.where());
  const TracedCall traced = trace_call(
      tracer, call, [&](const guard::Leaves& leaves) { tracer.begin_like(leaves, recording); });
  const Recording again =
      tracer.make_recording(traced.after.leaves, traced.copies->names().leaves, traced.results,
                            signature.structure, traced.after.structure);
  require_same_recording(recording, again, state.where());
}

// Calls the host functions of a recording on `values`, their operands one after the other.
SINTER_INLINE void call_host_functions(const Recording& recording, Span<const Tensor> values) {
  for (const HostCallback& call : recording.host_callbacks) {
    (*call.function)(values.first(call.operands));
    values = values.subspan(call.operands);
  }
}

// The tensors of arguments whose structure changed: unchanged leaves and new values.
SINTER_INLINE std::vector<Tensor> tensors_afterwards(const Recording& recording,
                                                     Span<const guard::Leaf> leaves,
                                                     Span<const Tensor> values) {
  std::vector<Tensor> result;
  std::size_t next = 0;
  for (const std::int32_t leaf : recording.source_leaves) {
    result.push_back(leaf < 0 ? values[next++] : *leaves[static_cast<std::size_t>(leaf)].tensor);
  }
  return result;
}

// Assigns the new values of leaves that were not updated in place.
SINTER_INLINE void write_back(const CallFrame& frame, const AnyCall& call,
                              Span<const Tensor> values) {
  const Recording& recording = frame.variant->recording;
  if (!recording.changes_structure) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto leaf = static_cast<std::size_t>(recording.changed[i]);
      if (values[i].defined()) frame.leaves()[leaf].tensor->set_value(values[i]);
    }
    return;
  }
  // A copy of the arguments as the recorded call left them gets the new values.
  const auto& after = *static_cast<const AnyCopies*>(frame.variant->arguments.get());
  const SharedPtr<AnyCopies> copies = after.copy();
  fill(copies->signature().leaves, tensors_afterwards(recording, frame.leaves(), values));
  call.assign(*copies);
}

// Releases the tensors of a call, so that the receiver is their only holder, and takes back its
// random draws unless they were kept.
struct ReleaseTensors {
  CallMemory& memory;
  ~ReleaseTensors() {
    memory.tensors.clear();
    memory.draw.reset();
  }
};

}  // namespace detail

// Runs the variant on the bound inputs.
SINTER_INLINE void replay(const State& state, CallFrame& frame, AnyCall& call) {
  const Variant& variant = *frame.variant;
  std::vector<Tensor> shared;
  if (call.may_overlap() && !variant.recording.changes_structure) {
    shared = shared_leaves(variant.recording.changed, frame.leaves(), call, state.where());
  }
  if (state.options().memory_bytes != 0) state.require_memory(variant.runnable, frame.symbols);
  const detail::ReleaseTensors when_done{frame.memory};
  const Span<Tensor> all = run(variant, frame.leaves(), frame.symbols, frame.memory);
  if (!variant.recording.requires_grad.empty()) {
    attach_grad_fn(variant, frame.leaves(), frame.symbols, frame.memory);
  }
  const std::size_t results = variant.recording.results;
  const std::size_t changed = variant.recording.changed.size();
  detail::call_host_functions(variant.recording, all.subspan(results + changed));
  if (frame.memory.draw) frame.memory.draw->keep();
  detail::write_back(frame, call, all.subspan(results, changed));
  call.fill_result(variant.result.get(), all.first(results));
}

// Finds the variant that serves the call and binds its inputs; false if there is none.
SINTER_INLINE bool find_variant(State& state, CallFrame& frame, const AnyCall& call) {
  frame.snapshot.type = nullptr;
  frame.variant = nullptr;
  frame.signature = call.signature();
  if (frame.signature.leaves.has_unguarded_members) return false;
  auto variant = state.find(frame.signature, frame.symbols);
  if (variant != nullptr && variant->is_interpreted && state.requires_compiled()) {
    state.compile_now(variant);
    variant = state.find(frame.signature, frame.symbols);
  }
  if (variant == nullptr) return false;
  bind_inputs(*variant, frame.leaves(), frame.memory, state.where());
  frame.variant = std::move(variant);
  if (!frame.variant->is_interim) note_arguments(frame, call);
  return true;
}

namespace detail {

SINTER_INLINE void record_and_run(State& state, CallFrame& frame, AnyCall& call, OnMiss on_miss,
                                  Optional<Ticket>& ticket) {
  Optional<CacheMiss> miss;
  miss.emplace(state, call, frame.signature, on_miss, Requester::call, ticket);
  miss->trace();
  if (!miss->is_replayable()) {
    if (ticket) ticket->end();
    return miss->complete_call();
  }
  NewVariant added = miss->add_variant();
  miss.reset();  // it holds the created state, which could then not be updated in place
  if (ticket) ticket->end();
  frame.variant = added.variant;
  frame.signature = added.signature;
  const guard::Guard& guard = frame.variant->recording.guard;
  frame.symbols.assign(guard.symbols.size(), 0);
  if (!matches(guard, frame.signature.structure, frame.leaves(), frame.symbols)) {
    throw InternalError("compile: a recording does not fit its own call");
  }
  {
    const PhaseScope phase(CallPhase::initialize);
    bind_inputs(*frame.variant, frame.leaves(), frame.memory, state.where());
  }
  const PhaseScope phase(CallPhase::run);
  replay(state, frame, call);
  adopt_created_state(added, call);
}

}  // namespace detail

// Traces the function. If it can be replayed, adds a variant and replays that.
SINTER_INLINE void record(State& state, CallFrame& frame, AnyCall& call, OnMiss on_miss,
                          Optional<Ticket>& ticket) {
  const PhaseClock clock;
  detail::record_and_run(state, frame, call, on_miss, ticket);
  state.note_phases(clock.times());
}

namespace detail {

// Interprets or refuses a call that must not compile.
SINTER_INLINE void end_without_recording(State& state, const CallFrame& frame, AnyCall& call,
                                         OnMiss on_miss) {
  if (on_miss == OnMiss::interpret) {
    state.note_eager_call();
    return call.run_as_written(state.where());
  }
  const Names& names = call.names();
  state.refuse(state.failure_of(frame.signature, names.leaves, names.plain));
}

}  // namespace detail

// Serves a call for which this thread found no variant.
SINTER_INLINE void run_or_record(State& state, CallFrame& frame, AnyCall& call) {
  OnMiss on_miss = state.on_miss();
  Optional<Ticket> ticket;
  if (call.kind().may_replay && !frame.signature.leaves.has_unguarded_members &&
      !state.is_traced_on_every_call()) {
    if (on_miss == OnMiss::compile) {
      ticket.emplace(state.recording_tickets(), state.recording_key(frame.signature));
      if (find_variant(state, frame, call)) {  // of another thread
        ticket.reset();
        return replay(state, frame, call);
      }
      on_miss = state.on_miss();  // another thread may have made the first call
    }
    if (on_miss != OnMiss::compile) {
      ticket.reset();
      return detail::end_without_recording(state, frame, call, on_miss);
    }
  }
  record(state, frame, call, on_miss, ticket);
}

// True if the function is observed, and the call was served by its other state.
SINTER_INLINE bool serve_observed(State& state, AnyCall& call) {
  const SharedPtr<ObservedState> observed = state.observers().current();
  if (observed == nullptr) return false;
  const ScopedValueObserver scope(observed.get());
  serve(observed->state(), call);
  observed->warn_of_unused();
  return true;
}

namespace detail {

// Tells the observer of compiled functions about a call.
struct ObservedCall {
  const State& state;
  bool began;
  explicit ObservedCall(const State& function)
      : state(function), began(state.is_observed() && state_observer().call_began(state)) {}
  ObservedCall(const ObservedCall&) = delete;
  ObservedCall& operator=(const ObservedCall&) = delete;
  ~ObservedCall() {
    if (began) state_observer().call_ended(state);
  }
};

SINTER_INLINE void serve_within_limits(State& state, AnyCall& call) {
  const FrameLease lease(state);
  CallFrame& frame = *lease;
  if (!call.kind().may_replay || state.reads_outside()) {
    frame.variant = nullptr;
    frame.signature = call.signature();
    return run_or_record(state, frame, call);
  }
  const bool is_known = is_repeated(frame, call);
  if (is_known && !(frame.variant->is_interpreted && state.requires_compiled())) {
    bind_unwatched_leaves(frame, state.where());
  } else if (!find_variant(state, frame, call)) {
    return run_or_record(state, frame, call);
  }
  if (checks()) detail::check(state, frame, call);
  if (state.is_time_for_hints()) {
    if (parts().log_hints != nullptr) {
      parts().log_hints(state, frame);
    } else {
      log(Log::perf, text(state.label(), ": hints need #include <sinter/sinter.hpp>"));
    }
  }
  replay(state, frame, call);
}

}  // namespace detail

SINTER_INLINE void serve(State& state, AnyCall& call) {
  if (state.observers().any() && serve_observed(state, call)) return;
  const detail::ObservedCall observed(state);
  const RequiresGradScope scope(call);
  const LogScope logs(state.options().name);
  if (state.options().threads == 0) return detail::serve_within_limits(state, call);
  const runtime::ThreadLimit threads(state.options().threads);
  detail::serve_within_limits(state, call);
}

namespace detail {

// Makes explain() report the variant that calls of `signature` find.
inline void note_prepared(State& state, const CallSignature& signature) {
  std::vector<std::int64_t> symbols;
  SharedPtr<const Variant> variant = state.find(signature, symbols);
  if (variant != nullptr) state.note_prepared(std::move(variant), std::move(symbols));
}

}  // namespace detail

SINTER_INLINE void prepare(State& state, AnyCall& call) {
  const LogScope logs(state.options().name);
  const PhaseClock clock;
  const CallSignature signature = call.signature();
  Optional<Ticket> ticket;
  if (call.kind().may_replay) {
    ticket.emplace(state.recording_tickets(), state.recording_key(signature));
    std::vector<std::int64_t> symbols;
    if (state.find(signature, symbols) != nullptr) {
      runtime::wait_for_background();
      return detail::note_prepared(state, signature);
    }
  }
  CacheMiss miss(state, call, signature, state.on_miss_of_prepare(), Requester::prepare, ticket);
  miss.trace();
  if (miss.is_replayable()) {
    detail::note_prepared(state, miss.add_variant().signature);
  } else {
    miss.compile_call();
  }
  state.note_phases(clock.times());
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
