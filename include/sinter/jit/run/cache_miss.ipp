#pragma once

#include <algorithm>  // std::min
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/jit/run/cache_miss.hpp>

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
SINTER_INLINE void require_same_numbers(Span<const guard::PlainValue> before,
                                        Span<const guard::PlainValue> after, Where where) {
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

// Makes the signature of the call that of a call in which the created state already existed.
SINTER_INLINE void add_created_state(NewVariant& added, const CallSignature& call,
                                     const Names& names_before, const Names& names_after,
                                     const CallSignature& after,
                                     const Vector<CreatedState>& created) {
  for (const CreatedState& state : created) added.created.push_back(state.initial);
  added.signature = after;
  for (std::size_t i = 0; i < after.leaves.list.size(); ++i) {
    Tensor*& tensor = added.signature.leaves.list[i].tensor;
    const auto state =
        find_if(created, [&](const CreatedState& known) { return known.member == tensor; });
    if (state != created.end()) {
      tensor = &added.created[static_cast<std::size_t>(state - created.begin())];
      continue;
    }
    const auto name = find(names_before.leaves, names_after.leaves[i]);
    tensor = call.leaves.list[static_cast<std::size_t>(name - names_before.leaves.begin())].tensor;
  }
}

}  // namespace detail

SINTER_INLINE TracedCall trace_call(Tracer& tracer, const AnyCall& call,
                                    FunctionRef<void(const guard::Leaves&)> begin) {
  TracedCall traced;
  traced.copies = call.copy();
  {
    const RecorderScope scope(&tracer.recorder());
    begin(traced.copies->signature().leaves);
    traced.copies->name_modules(tracer.recorder());
    traced.result = traced.copies->invoke(traced.results, tracer.where());
  }
  traced.after = traced.copies->signature();
  return traced;
}

SINTER_INLINE void adopt_created_state(NewVariant& added, const AnyCall& call) {
  if (added.created.empty()) return;
  std::vector<Tensor> values;
  for (const guard::Leaf& leaf : added.signature.leaves.list) values.push_back(*leaf.tensor);
  call.assign(*added.copies);
  const CallSignature real = call.signature();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (real.leaves.list[i].is_mutable) *real.leaves.list[i].tensor = std::move(values[i]);
  }
  added.created.clear();
}

SINTER_INLINE std::vector<Tensor> shared_leaves(Span<const std::int32_t> changed,
                                                Span<const guard::Leaf> leaves,
                                                const LeafNames& names, Where where) {
  std::vector<Tensor> result;
  for (const std::int32_t leaf : changed) {
    const auto at = static_cast<std::size_t>(leaf);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (i == at || leaves[i].tensor != leaves[at].tensor) continue;
      const bool is_changed = contains(changed, static_cast<std::int32_t>(i));
      if (is_changed) {
        const std::vector<std::string> all = names.leaves();
        detail::throw_both_changed(all[std::min(i, at)], all[std::max(i, at)], where);
      }
      result.push_back(*leaves[at].tensor);
    }
  }
  return result;
}

SINTER_INLINE void CacheMiss::trace() {
  try {
    trace_once(false);
  } catch (const ConstraintError&) {  // for example a batch of size 1 whose labels are not marked
    if (!tracer_->has_small_marked_size() || tracer_->was_interrupted()) throw;
    trace_once(true);
  }
}

SINTER_INLINE void CacheMiss::trace_once(bool small_sizes_follow) {
  tracer_.emplace(state_, signature_, call_, state_.varying(signature_, on_miss_), on_miss_);
  if (requester_ == Requester::prepare) tracer_->expect_prepare(call_.kind().is_pure);
  if (!call_.kind().may_replay) tracer_->expect_trace_on_every_call();
  if (ticket_) tracer_->release_when_interrupted(&*ticket_);
  if (small_sizes_follow) tracer_->let_small_sizes_follow();
  traced_ =
      trace_call(*tracer_, call_, [&](const guard::Leaves& leaves) { tracer_->begin(leaves); });
}

SINTER_INLINE bool CacheMiss::is_replayable() {
  const bool may_replay = call_.kind().may_replay;
  if (signature_.leaves.has_unguarded_members)
    return not_replayable("a module has members that are not listed");
  if (!call_.kind().is_pure && tracer_->reads_outside()) state_.note_reads_outside();
  if (!may_replay && state_.is_traced_on_every_call()) return false;  // already logged
  const std::string reason =
      tracer_->reason_to_retrace(traced_.results, traced_.after.leaves, call_.kind().is_pure);
  if (!reason.empty()) return not_replayable(reason);
  if (!may_replay) return not_replayable("it has captures");
  if (state_.reads_outside()) return false;  // in another call, where it was logged
  if (tracer_->is_known(traced_.after.leaves, names_after())) return false;
  if (on_miss_ == OnMiss::interpret) return false;
  return !state_.differs_in_numbers(call_.names().plain) || !tracer_->is_known_but_for_numbers();
}

SINTER_INLINE bool CacheMiss::not_replayable(const std::string& reason) {
  state_.note_traced_on_every_call(reason);
  return false;
}

SINTER_INLINE void CacheMiss::require_same_numbers() const {
  if (traced_.after.structure == signature_.structure) return;
  const detail::Names after = traced_.copies->names();
  detail::require_same_numbers(call_.names().plain, after.plain, state_.where());
}

SINTER_INLINE NewVariant CacheMiss::add_variant() {
  require_same_numbers();
  tracer_->note_numbers();
  const detail::Names& names = call_.names();
  const detail::Names after = traced_.copies->names();
  NewVariant added{.signature = signature_, .copies = traced_.copies};
  Recording recording =
      tracer_->Tracer::make_recording(traced_.after.leaves, after.leaves, traced_.results,
                                      signature_.structure, traced_.after.structure);
  tracer_->use_as_recording();
  state_.count_recording();
  if (!tracer_->created().empty()) {
    detail::add_created_state(added, signature_, names, after, traced_.after, tracer_->created());
    state_.note_created_state(added.signature, names.leaves, after.leaves);
  }
  const bool changes = recording.changes_structure;
  recording.guard.plain = changes ? names.plain : after.plain;
  const Ticket ticket(state_.compile_tickets(), hash_of(recording.graph));
  std::vector<std::int64_t> symbols;
  added.variant = state_.find(
      added.signature, symbols);  // added by another thread, or by a call that created other state
  if (added.variant != nullptr) return added;
  if (on_miss_ == OnMiss::refuse) {
    state_.refuse(state_.failure_of(signature_, names.leaves, names.plain));
  }
  added.variant =
      state_.add(std::move(recording), state_.reason_for(signature_, names.leaves, names.plain),
                 traced_.result, changes ? traced_.copies : nullptr, requester_);
  return added;
}

SINTER_INLINE std::vector<Tensor> CacheMiss::shared_leaves() const {
  const guard::Leaves& after = traced_.after.leaves;
  const std::vector<Tensor>& before = tracer_->placeholders();
  if (!call_.may_overlap() || after.list.size() != before.size()) return {};
  Vector<std::int32_t> changed;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool is_changed = after.list[i].tensor->lazy() != before[i].lazy();
    if (after.list[i].is_mutable && is_changed) changed.push_back(static_cast<std::int32_t>(i));
  }
  return jit::shared_leaves(changed, signature_.leaves.list, call_, state_.where());
}

SINTER_INLINE void CacheMiss::write_back() {
  const guard::Leaves& after = traced_.after.leaves;
  tracer_->replace_by_values(after);
  if (traced_.after.structure != signature_.structure || signature_.leaves.has_unguarded_members) {
    call_.assign(*traced_.copies);
    return;
  }
  for (std::size_t i = 0; i < after.list.size(); ++i) {
    Tensor& leaf = *signature_.leaves.list[i].tensor;
    const Tensor& value = *after.list[i].tensor;
    if (signature_.leaves.list[i].is_mutable && value.lazy() != leaf.lazy()) leaf.set_value(value);
  }
}

SINTER_INLINE void CacheMiss::compile_call() {
  require_same_numbers();
  tracer_->compile_last_segment(traced_.after.leaves, names_after());
  state_.note_prepared(tracer_->report());
  if (!tracer_->report().compiled) return;
  state_.count_recording();
  state_.note_arguments(signature_, call_.names().leaves, call_.names().plain);
}

SINTER_INLINE void CacheMiss::complete_call() {
  require_same_numbers();
  const std::vector<Tensor> shared = shared_leaves();
  tracer_->run_last_segment(traced_.after.leaves, names_after());
  // A replayable function that was only traced to read its numbers again does not count.
  if (tracer_->report().compiled || state_.is_traced_on_every_call()) state_.count_recording();
  std::string reason;
  if (tracer_->report().compiled) {
    const detail::Names& names = call_.names();
    reason =
        state_.reason_for_traced_call(signature_, names.leaves, names.plain, tracer_->report());
    state_.note_arguments(signature_, names.leaves, names.plain);
  }
  state_.note_traced_call(tracer_->report(), std::move(reason));
  write_back();
  if (!tracer_->recorder().created().empty()) {
    state_.note_created_state(call_.signature(), call_.names().leaves,
                              traced_.copies->names().leaves);
  }
  tracer_->replace_by_values(traced_.results);
  call_.take_result(traced_.result.get());
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
