#pragma once

#include <algorithm>  // std::find, std::find_if, std::min
#include <utility>    // std::move

#include <sinter/graph/hash.hpp>
#include <sinter/jit/run/attempt.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

[[noreturn]] SINTER_INLINE void throw_changed_number(const guard::PlainValue& before,
                                                     const guard::PlainValue& after, Where where) {
  throw ValueError(
      {.op = "compile",
       .what = "the function changes a plain number of its arguments",
       .facts = {{"member", after.name}, {"before", before.value}, {"after", after.value}},
       .rule = "numbers are constants of a recording",
       .fix = "make it a Scalar, which is computed on every call",
       .where = where,
       .see = "numbers"});
}

// Throws if the function changed a plain number of its arguments.
SINTER_INLINE void require_same_numbers(std::span<const guard::PlainValue> before,
                                        std::span<const guard::PlainValue> after, Where where) {
  for (const guard::PlainValue& value : after) {
    for (const guard::PlainValue& known : before) {
      if (known.is_structure || value.is_structure) continue;
      if (known.name != value.name || known.value == value.value) continue;
      throw_changed_number(known, value, where);
    }
  }
}

[[noreturn]] SINTER_INLINE void throw_both_changed(const std::string& first,
                                                   const std::string& second, Where where) {
  throw ValueError({.op = "compile",
                    .what = "the function changes a tensor through two of its arguments",
                    .facts = {{"first", first}, {"second", second}},
                    .rule = "each argument of a recording has a value of its own",
                    .fix = "pass a copy, Tensor(x), as one of them",
                    .where = where,
                    .see = "state"});
}

// The call as if the state that was created had been there before.
SINTER_INLINE void take_created_state(Fresh& fresh, const CallSignature& call,
                                      const Names& names_before, const Names& names_after,
                                      const CallSignature& after,
                                      const std::vector<CreatedState>& created) {
  for (const CreatedState& state : created) fresh.created.push_back(state.initial);
  fresh.signature = after;
  for (std::size_t i = 0; i < after.leaves.list.size(); ++i) {
    Tensor*& tensor = fresh.signature.leaves.list[i].tensor;
    const auto state = std::find_if(created.begin(), created.end(), [&](const CreatedState& known) {
      return known.member == tensor;
    });
    if (state != created.end()) {
      tensor = &fresh.created[static_cast<std::size_t>(state - created.begin())];
      continue;
    }
    const auto name =
        std::find(names_before.leaves.begin(), names_before.leaves.end(), names_after.leaves[i]);
    tensor = call.leaves.list[static_cast<std::size_t>(name - names_before.leaves.begin())].tensor;
  }
}

}  // namespace detail

SINTER_INLINE Recorded run_recorded(RecordingSession& session, const AnyCall& call,
                                    FunctionRef<void(const guard::Leaves&)> begin) {
  Recorded run;
  run.copies = call.copy();
  {
    const RecorderScope scope(&session.recorder());
    begin(run.copies->signature().leaves);
    run.copies->name_modules(session.recorder());
    run.result = run.copies->invoke(run.results, session.where());
  }
  run.after = run.copies->signature();
  return run;
}

SINTER_INLINE void adopt_created_state(Fresh& fresh, const AnyCall& call) {
  if (fresh.created.empty()) return;
  std::vector<Tensor> values;
  for (const guard::Leaf& leaf : fresh.signature.leaves.list) values.push_back(*leaf.tensor);
  call.assign(*fresh.copies);
  const CallSignature real = call.signature();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (real.leaves.list[i].is_mutable) *real.leaves.list[i].tensor = std::move(values[i]);
  }
  fresh.created.clear();
}

SINTER_INLINE std::vector<Tensor> shared_leaves(std::span<const std::int32_t> changed,
                                                std::span<const guard::Leaf> leaves,
                                                const LeafNames& names, Where where) {
  std::vector<Tensor> result;
  for (const std::int32_t leaf : changed) {
    const auto at = static_cast<std::size_t>(leaf);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (i == at || leaves[i].tensor != leaves[at].tensor) continue;
      const bool is_changed = std::find(changed.begin(), changed.end(), i) != changed.end();
      if (is_changed) {
        const std::vector<std::string> all = names.leaves();
        detail::throw_both_changed(all[std::min(i, at)], all[std::max(i, at)], where);
      }
      result.push_back(*leaves[at].tensor);
    }
  }
  return result;
}

SINTER_INLINE void Attempt::run() {
  const double start = seconds_now();
  try {
    run_once(false);
  } catch (const ConstraintError&) {  // a batch of 1 whose labels are not marked
    if (!run_->has_small_marked_size() || run_->was_interrupted()) throw;
    run_once(true);
  }
  state_.note_record_time(start);
}

SINTER_INLINE void Attempt::run_once(bool small_sizes_follow) {
  run_.emplace(state_, signature_, call_, state_.varying(signature_, on_miss_), on_miss_);
  if (asker_ == Asker::prepare) run_->expect_no_elements(call_.kind().is_pure);
  if (!call_.kind().is_closed) run_->expect_to_run_again();
  if (turn_) run_->end_when_interrupted(&*turn_);
  if (small_sizes_follow) run_->let_small_sizes_follow();
  recorded_ = run_recorded(*run_, call_, [&](const guard::Leaves& leaves) { run_->begin(leaves); });
}

SINTER_INLINE bool Attempt::closes() {
  const bool is_closed = call_.kind().is_closed;
  if (signature_.leaves.is_open) return runs_again("a module has members that are not listed");
  if (!call_.kind().is_pure && run_->reads_outside()) state_.note_reads_outside();
  if (!is_closed && state_.runs_again()) return false;  // which was said
  const std::string reason =
      run_->reason_to_run_again(recorded_.results, recorded_.after.leaves, call_.kind().is_pure);
  if (!reason.empty()) return runs_again(reason);
  if (!is_closed) return runs_again("it has captures");
  if (state_.reads_outside()) return false;  // in another call, which was said
  if (run_->is_known(recorded_.after.leaves, names_after())) return false;
  if (on_miss_ == OnMiss::interpret) return false;
  return !state_.differs_in_numbers(call_.names().plain) || !run_->is_known_but_for_numbers();
}

SINTER_INLINE bool Attempt::runs_again(const std::string& reason) {
  state_.note_open(reason);
  return false;
}

SINTER_INLINE void Attempt::require_same_numbers() const {
  if (recorded_.after.structure == signature_.structure) return;
  const detail::Names after = recorded_.copies->names();
  detail::require_same_numbers(call_.names().plain, after.plain, state_.where());
}

SINTER_INLINE Fresh Attempt::close() {
  require_same_numbers();
  run_->note_numbers();
  const detail::Names& names = call_.names();
  const detail::Names after = recorded_.copies->names();
  Fresh fresh{.signature = signature_, .copies = recorded_.copies};
  Recording recording =
      run_->RecordingSession::finish(recorded_.after.leaves, after.leaves, recorded_.results,
                                     signature_.structure, recorded_.after.structure);
  run_->leave();
  state_.count_recording();
  if (!run_->created().empty()) {
    detail::take_created_state(fresh, signature_, names, after, recorded_.after, run_->created());
    state_.note_created_state(fresh.signature, names.leaves, after.leaves);
  }
  const bool changes = recording.changes_structure;
  recording.guard.plain = changes ? names.plain : after.plain;
  const Turn turn(state_.compile_turns(), hash_of(recording.graph));
  std::vector<std::int64_t> symbols;
  fresh.variant = state_.find(fresh.signature, symbols);  // of another thread, or other new state
  if (fresh.variant != nullptr) return fresh;
  if (on_miss_ == OnMiss::refuse) {
    state_.refuse(state_.failure_of(signature_, names.leaves, names.plain));
  }
  fresh.variant =
      state_.add(std::move(recording), state_.reason_for(signature_, names.leaves, names.plain),
                 recorded_.result, changes ? recorded_.copies : nullptr, asker_);
  return fresh;
}

SINTER_INLINE std::vector<Tensor> Attempt::shared_leaves() const {
  const guard::Leaves& after = recorded_.after.leaves;
  const std::vector<Tensor>& before = run_->placeholders();
  if (!call_.may_overlap() || after.list.size() != before.size()) return {};
  std::vector<std::int32_t> changed;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool is_changed = after.list[i].tensor->lazy() != before[i].lazy();
    if (after.list[i].is_mutable && is_changed) changed.push_back(static_cast<std::int32_t>(i));
  }
  return jit::shared_leaves(changed, signature_.leaves.list, call_, state_.where());
}

SINTER_INLINE void Attempt::write_back() {
  const guard::Leaves& after = recorded_.after.leaves;
  run_->settle(after);
  if (recorded_.after.structure != signature_.structure || signature_.leaves.is_open) {
    call_.assign(*recorded_.copies);
    return;
  }
  for (std::size_t i = 0; i < after.list.size(); ++i) {
    Tensor& leaf = *signature_.leaves.list[i].tensor;
    const Tensor& value = *after.list[i].tensor;
    if (signature_.leaves.list[i].is_mutable && value.lazy() != leaf.lazy()) leaf.set_value(value);
  }
}

SINTER_INLINE void Attempt::prepare() {
  require_same_numbers();
  run_->prepare(recorded_.after.leaves, names_after());
  state_.note_prepared(run_->report());
  if (!run_->report().compiled) return;
  state_.count_recording();
  state_.note_arguments(signature_, call_.names().leaves, call_.names().plain);
}

SINTER_INLINE void Attempt::finish() {
  require_same_numbers();
  const std::vector<Tensor> shared = shared_leaves();
  run_->finish(recorded_.after.leaves, names_after());
  // A function that is replayed, and was only run to read its numbers again, is not recorded anew.
  if (run_->report().compiled || state_.runs_again()) state_.count_recording();
  std::string reason;
  if (run_->report().compiled) {
    const detail::Names& names = call_.names();
    reason = state_.reason_for_run(signature_, names.leaves, names.plain, run_->report());
    state_.note_arguments(signature_, names.leaves, names.plain);
  }
  state_.note_run(run_->report(), std::move(reason));
  write_back();
  if (!run_->recorder().created().empty()) {
    state_.note_created_state(call_.signature(), call_.names().leaves,
                              recorded_.copies->names().leaves);
  }
  run_->settle(recorded_.results);
  call_.take_result(recorded_.result.get());
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
