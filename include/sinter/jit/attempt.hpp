#pragma once
// A call that no variant serves: the function runs and is recorded. Then either a recording stands
// for it from now on, or what it computes is computed, and it will run on the next call as well.

#include <memory>       // std::shared_ptr
#include <optional>     // std::optional
#include <tuple>        // std::tuple
#include <type_traits>  // std::is_void_v
#include <utility>      // std::move

#include <sinter/config.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/jit/callable.hpp>
#include <sinter/jit/run.hpp>
#include <sinter/jit/state.hpp>

namespace sinter::inline SINTER_ABI::jit {

template <class Result, class F, class... Bound>
class Attempt {
 public:
  /// `turn`, if any, is the one at recording this signature.
  Attempt(State& state, F& function, std::tuple<Bound...>& bound, const CallSignature& call,
          OnMiss on_miss, Asker asker, std::optional<Turn>& turn)
      : state_(state),
        function_(function),
        bound_(bound),
        call_(call),
        on_miss_(on_miss),
        asker_(asker),
        turn_(turn),
        names_(function, bound) {}

  /// Runs the function. Throws what it throws.
  void run() {
    const double start = seconds_now();
    try {
      run_once(false);
    } catch (const ConstraintError&) {  // a batch of 1 whose labels are not marked
      if (!run_->has_small_marked_size() || run_->was_interrupted()) throw;
      run_once(true);
    }
    state_.note_recording(start);
  }

  /// True if a recording stands for the function from now on.
  bool closes() {
    if (call_.leaves.is_open) return runs_again("a module has members that are not listed");
    if (!detail::is_closed<F> && state_.runs_again()) return false;  // which was said
    const std::string reason =
        run_->reason_to_run_again(recorded_.results, recorded_.after.leaves, detail::is_pure<F>);
    if (!reason.empty()) return runs_again(reason);
    if (!detail::is_closed<F>) return runs_again("it has captures");
    if (run_->is_known(recorded_.after.leaves, names_after())) return false;
    if (on_miss_ == OnMiss::interpret) return false;
    return !run_->differs_in_numbers() || !state_.differs_in_numbers(names_.all().plain);
  }

  /// The variant for calls like this one.
  Fresh<F, Bound...> close();
  /// Compiles what finish() would compute.
  void prepare();
  /// Computes what the run needs, gives the arguments their new values, and gives its result.
  Result finish();

 private:
  void run_once(bool small_sizes_follow) {
    run_.emplace(state_, call_, names_, state_.varying(call_), on_miss_);
    if (asker_ == Asker::prepare) run_->expect_no_elements(detail::is_pure<F>);
    if (turn_) run_->end_when_interrupted(&*turn_);
    if (small_sizes_follow) run_->let_small_sizes_follow();
    recorded_ = detail::run_recorded<Result>(
        *run_, function_, bound_, [&](const guard::Leaves& leaves) { run_->begin(leaves); });
  }
  bool runs_again(const std::string& reason) {
    state_.note_open(reason);
    return false;
  }
  // The names of the leaves of the copies, as the function left them.
  detail::CopyNames<F, Bound...> names_after() const { return {*recorded_.copies}; }
  void require_same_numbers();
  std::vector<Tensor> shared_leaves() const;
  void write_back();

  State& state_;
  F& function_;
  std::tuple<Bound...>& bound_;
  const CallSignature& call_;
  OnMiss on_miss_;
  Asker asker_;
  std::optional<Turn>& turn_;
  detail::CallNames<F, Bound...> names_;
  detail::Recorded<Result, F, Bound...> recorded_{};
  std::optional<Run> run_{};  // ends first: then nothing of it is held but by the user
};

template <class Result, class F, class... Bound>
void Attempt<Result, F, Bound...>::require_same_numbers() {
  if (recorded_.after.structure == call_.structure) return;
  const detail::Names after =
      detail::names_of(recorded_.copies->function, recorded_.copies->arguments);
  detail::require_same_numbers(names_.all().plain, after.plain, state_.where());
}

template <class Result, class F, class... Bound>
Fresh<F, Bound...> Attempt<Result, F, Bound...>::close() {
  require_same_numbers();
  run_->note_numbers();
  const detail::Names& names = names_.all();
  const detail::Names after =
      detail::names_of(recorded_.copies->function, recorded_.copies->arguments);
  Fresh<F, Bound...> fresh{.signature = call_, .copies = recorded_.copies};
  Recording recording =
      run_->RecordingSession::finish(recorded_.after.leaves, after.leaves, recorded_.results,
                                     call_.structure, recorded_.after.structure);
  run_->leave();
  if (!run_->created().empty()) {
    detail::take_created_state(fresh, call_, names, after, recorded_.after, run_->created());
  }
  const bool changes = recording.changes_structure;
  recording.guard.plain = changes ? names.plain : after.plain;
  const Turn turn(state_.compile_turns(), hash_of(recording.graph));
  std::vector<std::int64_t> symbols;
  fresh.variant = state_.find(fresh.signature, symbols);  // of another thread, or other new state
  if (fresh.variant != nullptr) return fresh;
  if (on_miss_ == OnMiss::refuse) {
    state_.refuse(state_.failure_of(call_, names.leaves, names.plain));
  }
  fresh.variant =
      state_.add(std::move(recording), state_.reason_for(call_, names.leaves, names.plain),
                 recorded_.result, changes ? recorded_.copies : nullptr, asker_);
  return fresh;
}

template <class Result, class F, class... Bound>
std::vector<Tensor> Attempt<Result, F, Bound...>::shared_leaves() const {
  const guard::Leaves& after = recorded_.after.leaves;
  const std::vector<Tensor>& before = run_->placeholders();
  if (!may_overlap(function_, bound_) || after.list.size() != before.size()) return {};
  std::vector<std::int32_t> changed;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool is_changed = after.list[i].tensor->lazy() != before[i].lazy();
    if (after.list[i].is_mutable && is_changed) changed.push_back(static_cast<std::int32_t>(i));
  }
  return detail::shared_leaves(changed, call_.leaves.list, names_, state_.where());
}

template <class Result, class F, class... Bound>
void Attempt<Result, F, Bound...>::write_back() {
  const guard::Leaves& after = recorded_.after.leaves;
  run_->settle(after);
  if (recorded_.after.structure != call_.structure || call_.leaves.is_open) {
    detail::assign_arguments(function_, bound_, *recorded_.copies);
    return;
  }
  for (std::size_t i = 0; i < after.list.size(); ++i) {
    Tensor& leaf = *call_.leaves.list[i].tensor;
    const Tensor& value = *after.list[i].tensor;
    if (call_.leaves.list[i].is_mutable && value.lazy() != leaf.lazy()) leaf.set_value(value);
  }
}

template <class Result, class F, class... Bound>
void Attempt<Result, F, Bound...>::prepare() {
  require_same_numbers();
  run_->prepare(recorded_.after.leaves, names_after());
  state_.note_prepared(run_->report().compiled);
  if (!run_->report().compiled) return;
  state_.note_arguments(call_, names_.all().leaves, names_.all().plain);
}

template <class Result, class F, class... Bound>
Result Attempt<Result, F, Bound...>::finish() {
  require_same_numbers();
  const std::vector<Tensor> shared = shared_leaves();
  run_->finish(recorded_.after.leaves, names_after());
  std::string reason;
  if (run_->report().compiled) {
    const detail::Names& names = names_.all();
    reason = state_.reason_for_run(call_, names.leaves, names.plain, run_->report());
    state_.note_arguments(call_, names.leaves, names.plain);
  }
  state_.note_run(run_->report(), std::move(reason));
  write_back();
  if constexpr (!std::is_void_v<Result>) {
    run_->settle(recorded_.results);
    return std::move(*recorded_.result);
  }
}

}  // namespace sinter::inline SINTER_ABI::jit
