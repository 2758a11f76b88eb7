#pragma once

#include <optional>  // std::optional
#include <utility>   // std::move

#include <sinter/graph/hash.hpp>
#include <sinter/jit/call/repeat.hpp>
#include <sinter/jit/call/serve.hpp>
#include <sinter/jit/interface/requires_grad.hpp>
#include <sinter/jit/run/attempt.hpp>
#include <sinter/jit/state/differentiated.hpp>
#include <sinter/jit/state/state.hpp>
#include <sinter/runtime/host/background.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// Throws if `again` is not what `recording` is.
SINTER_INLINE void require_same_recording(const Recording& recording, const Recording& again,
                                          Where where) {
  const bool equal = hash_with_symbols(recording.graph) == hash_with_symbols(again.graph) &&
                     recording.changed == again.changed && recording.kept == again.kept;
  if (equal) return;
  throw ValueError({.op = "SINTER_CHECK",
                    .what = "the function records something else than before, for arguments that "
                            "are like before",
                    .facts = {{"operations before", text(recording.graph.nodes.size())},
                              {"operations now", text(again.graph.nodes.size())}},
                    .rule = "what a compiled function records depends on its arguments only",
                    .fix = "pass what it depends on, as a global variable, as an argument",
                    .where = where,
                    .see = "open-callables"});
}

// SINTER_CHECK=1: records a call again that `memory.variant` serves.
SINTER_INLINE void check(const State& state, const Call& memory, const AnyCall& call) {
  const CallSignature signature = call.signature();
  const Recording& recording = memory.variant->recording;
  RecordingSession session(signature.leaves, call, state.options(), {}, state.where());
  const Recorded run = run_recorded(
      session, call, [&](const guard::Leaves& leaves) { session.begin_again(leaves, recording); });
  const Recording again = session.finish(run.after.leaves, run.copies->names().leaves, run.results,
                                         signature.structure, run.after.structure);
  require_same_recording(recording, again, state.where());
}

// Calls the host functions of a recording, whose operands are `values`.
SINTER_INLINE void call_host_functions(const Recording& recording, std::span<const Tensor> values) {
  for (const HostCall& call : recording.host_calls) {
    (*call.function)(values.first(call.operands));
    values = values.subspan(call.operands);
  }
}

// The tensors of arguments whose structure changed: leaves as they were, and new values.
SINTER_INLINE std::vector<Tensor> tensors_afterwards(const Recording& recording,
                                                     std::span<const guard::Leaf> leaves,
                                                     std::span<const Tensor> values) {
  std::vector<Tensor> result;
  std::size_t next = 0;
  for (const std::int32_t leaf : recording.kept) {
    result.push_back(leaf < 0 ? values[next++] : *leaves[static_cast<std::size_t>(leaf)].tensor);
  }
  return result;
}

// The new values of leaves that were not updated in place.
SINTER_INLINE void write_back(const Call& memory, const AnyCall& call,
                              std::span<const Tensor> values) {
  const Recording& recording = memory.variant->recording;
  if (!recording.changes_structure) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto leaf = static_cast<std::size_t>(recording.changed[i]);
      if (values[i].defined()) memory.leaves()[leaf].tensor->set_value(values[i]);
    }
    return;
  }
  // The arguments as the function left them, with the new values in them.
  const auto& after = *static_cast<const AnyCopies*>(memory.variant->arguments.get());
  const std::shared_ptr<AnyCopies> copies = after.copy();
  fill(copies->signature().leaves, tensors_afterwards(recording, memory.leaves(), values));
  call.assign(*copies);
}

// Lets go of the tensors of a call, so that who gets them holds them alone, and takes back what
// it drew unless that is kept.
struct NoTensors {
  Memory& memory;
  ~NoTensors() {
    memory.tensors.clear();
    memory.draw.reset();
  }
};

}  // namespace detail

// Runs the variant, whose inputs are bound.
SINTER_INLINE void replay(const State& state, Call& memory, AnyCall& call) {
  const Variant& variant = *memory.variant;
  std::vector<Tensor> shared;
  if (call.may_overlap() && !variant.recording.changes_structure) {
    shared = shared_leaves(variant.recording.changed, memory.leaves(), call, state.where());
  }
  const detail::NoTensors when_done{memory.memory};
  const std::span<Tensor> all = run(variant, memory.leaves(), memory.symbols, memory.memory);
  if (!variant.recording.wanted.empty()) {
    remember_call(variant, memory.leaves(), memory.symbols, memory.memory);
  }
  const std::size_t results = variant.recording.results;
  const std::size_t changed = variant.recording.changed.size();
  detail::call_host_functions(variant.recording, all.subspan(results + changed));
  if (memory.memory.draw) memory.memory.draw->keep();
  detail::write_back(memory, call, all.subspan(results, changed));
  call.fill_result(variant.result.get(), all.first(results));
}

// Finds the variant that serves the call, if there is one.
SINTER_INLINE bool find_variant(State& state, Call& memory, const AnyCall& call) {
  memory.snapshot.type = nullptr;
  memory.variant = nullptr;
  memory.signature = call.signature();
  if (memory.signature.leaves.is_open) return false;
  auto variant = state.find(memory.signature, memory.symbols);
  if (variant != nullptr && variant->is_interpreted && state.demands_code()) {
    state.compile_now(variant);
    variant = state.find(memory.signature, memory.symbols);
  }
  if (variant == nullptr) return false;
  bind_inputs(*variant, memory.leaves(), memory.memory, state.where());
  memory.variant = std::move(variant);
  if (!memory.variant->is_interim) note_arguments(memory, call);
  return true;
}

// Runs the function, and lets a recording stand for it from now on if one can.
SINTER_INLINE void record(State& state, Call& memory, AnyCall& call, OnMiss on_miss,
                          std::optional<Turn>& turn) {
  std::optional<Attempt> attempt;
  attempt.emplace(state, call, memory.signature, on_miss, Asker::call, turn);
  attempt->run();
  if (!attempt->closes()) {
    if (turn) turn->end();
    return attempt->finish();
  }
  Fresh fresh = attempt->close();
  attempt.reset();  // which holds the created state, so that it could not be updated in place
  if (turn) turn->end();
  memory.variant = fresh.variant;
  memory.signature = fresh.signature;
  const guard::Guard& guard = memory.variant->recording.guard;
  memory.symbols.assign(guard.symbols.size(), 0);
  if (!matches(guard, memory.signature.structure, memory.leaves(), memory.symbols)) {
    throw InternalError("compile: a recording does not fit its own call");
  }
  bind_inputs(*memory.variant, memory.leaves(), memory.memory, state.where());
  replay(state, memory, call);
  adopt_created_state(fresh, call);
}

namespace detail {

// Interprets or refuses a call that must not be recorded.
SINTER_INLINE void end_without_recording(State& state, const Call& memory, AnyCall& call,
                                         OnMiss on_miss) {
  if (on_miss == OnMiss::interpret) {
    state.note_eager_call();
    return call.run_as_written(state.where());
  }
  const Names& names = call.names();
  state.refuse(state.failure_of(memory.signature, names.leaves, names.plain));
}

}  // namespace detail

// The call that no variant serves, so far as this thread knows.
SINTER_INLINE void run_or_record(State& state, Call& memory, AnyCall& call) {
  OnMiss on_miss = state.on_miss();
  std::optional<Turn> turn;
  if (call.kind().is_closed && !memory.signature.leaves.is_open && !state.runs_again()) {
    if (on_miss == OnMiss::compile) {
      turn.emplace(state.recording_turns(), state.recording_key(memory.signature));
      if (find_variant(state, memory, call)) {  // of another thread
        turn.reset();
        return replay(state, memory, call);
      }
      on_miss = state.on_miss();  // another thread may have made the first call
    }
    if (on_miss != OnMiss::compile) {
      turn.reset();
      return detail::end_without_recording(state, memory, call, on_miss);
    }
  }
  record(state, memory, call, on_miss, turn);
}

SINTER_INLINE void serve(State& state, AnyCall& call) {
  const WantedScope scope(call);
  const CallLoan loan(state);
  Call& memory = *loan;
  if (!call.kind().is_closed || state.reads_outside()) {
    memory.variant = nullptr;
    memory.signature = call.signature();
    return run_or_record(state, memory, call);
  }
  const bool is_known = is_repeated(memory, call);
  if (is_known && !(memory.variant->is_interpreted && state.demands_code())) {
    bind_loose_leaves(memory, state.where());
  } else if (!find_variant(state, memory, call)) {
    return run_or_record(state, memory, call);
  }
  if (checks()) detail::check(state, memory, call);
  replay(state, memory, call);
}

namespace detail {

// explain() tells of the variant that calls of `signature` find.
inline void note_prepared(State& state, const CallSignature& signature) {
  std::vector<std::int64_t> symbols;
  std::shared_ptr<const Variant> variant = state.find(signature, symbols);
  if (variant != nullptr) state.note_prepared(std::move(variant), std::move(symbols));
}

}  // namespace detail

SINTER_INLINE void prepare(State& state, AnyCall& call) {
  const CallSignature signature = call.signature();
  std::optional<Turn> turn;
  if (call.kind().is_closed) {
    turn.emplace(state.recording_turns(), state.recording_key(signature));
    std::vector<std::int64_t> symbols;
    if (state.find(signature, symbols) != nullptr) {
      runtime::wait_for_background();
      return detail::note_prepared(state, signature);
    }
  }
  Attempt attempt(state, call, signature, state.on_miss_of_prepare(), Asker::prepare, turn);
  attempt.run();
  if (!attempt.closes()) return attempt.prepare();
  detail::note_prepared(state, attempt.close().signature);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
