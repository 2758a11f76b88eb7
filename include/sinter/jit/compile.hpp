#pragma once
// compile(f): a function that records f once for each signature, and replays it afterwards.

#include <memory>       // std::shared_ptr
#include <optional>     // std::optional
#include <tuple>        // std::tuple
#include <type_traits>  // std::decay_t
#include <utility>      // std::forward, std::index_sequence

#include <sinter/config.hpp>
#include <sinter/jit/attempt.hpp>
#include <sinter/jit/callable.hpp>
#include <sinter/jit/options.hpp>
#include <sinter/jit/prepare.hpp>
#include <sinter/jit/repeat.hpp>
#include <sinter/jit/stance.hpp>
#include <sinter/jit/state.hpp>
#include <sinter/runtime/background.hpp>
#include <sinter/trace/evaluate.hpp>
#include <sinter/trace/host.hpp>
#include <sinter/trace/operators.hpp>
#include <sinter/trace/transform.hpp>

namespace sinter::inline SINTER_ABI {

namespace jit::detail {

/// An owned callable can be called where it is const, as a Compiled can; one kept by reference is
/// what it is.
template <class F>
struct Held {
  mutable F function;
};
template <class F>
struct Held<F&> {
  F& function;
};

}  // namespace jit::detail

/// What compile(f) gives. Called like `f`; the first call of each signature records and compiles,
/// later ones replay. Copies share what was compiled. `F` is a reference where an lvalue was given.
template <class F>
class Compiled {
 public:
  using Function = std::remove_reference_t<F>;

  Compiled(F&& function, const CompileOptions& options, Where where)
      : held_{std::forward<F>(function)}, state_(jit::make_state(options, where)) {}

  /// The result of the function. Non-const lvalue arguments that it changes get their new values.
  ///
  /// Throws what the function throws while it is recorded, and IndexError or ValueError for faults
  /// in the data; arguments are then as they were.
  template <class... Args>
  auto operator()(Args&&... args) const {
    constexpr bool fits = std::is_invocable_v<Function&, Args...>;
    static_assert(fits, "sinter::Compiled requires the arguments that its function takes");
    constexpr bool are_known = (jit::is_argument<std::remove_cvref_t<Args>> && ...);
    static_assert(
        are_known,
        "sinter::Compiled requires arguments to be tensors, numbers, strings, modules, or "
        "containers of these; list the members of a struct with SINTER_MODULE");
    if constexpr (fits && are_known) {  // so that the sentences above are the only errors
      return call_or_include(std::forward<Args>(args)...);
    }
  }

  /// Compiles for arguments like these, without running anything: the call that comes with such
  /// arguments finds all compiled. A TensorSpec stands for a tensor; a tensor that is passed is not
  /// read, and nothing is changed. Several threads may prepare at once. With `background` it waits
  /// all the same.
  ///
  /// Throws what the function throws while it is recorded, GraphBreakError where it reads elements,
  /// and RecompileLimitError after freeze() or at recompile_limit.
  template <class... Args>
  void prepare(Args&&... args) const {
    using AsLvalues = std::is_invocable<Function&, jit::detail::PreparedAsLvalue<Args>...>;
    constexpr bool fits =
        AsLvalues::value || std::is_invocable_v<Function&, jit::detail::Prepared<Args>...>;
    static_assert(fits, "sinter::Compiled::prepare requires the arguments that its function takes");
    if constexpr (fits) {
      std::tuple<jit::detail::Prepared<Args>...> values(
          jit::detail::prepared(std::forward<Args>(args))...);
      using Passed =
          std::conditional_t<AsLvalues::value, std::tuple<jit::detail::PreparedAsLvalue<Args>...>,
                             std::tuple<jit::detail::Prepared<Args>&&...>>;
      prepare_passed<Passed>(values, std::index_sequence_for<Args...>());
    }
  }

  /// From now on this function compiles nothing: a call that fits nothing of what was compiled so
  /// far, in calls or by prepare(), throws RecompileLimitError, which names the guard that failed.
  /// For servers, where compiling would be a surprise. There is no way back. Copies are frozen too.
  void freeze() const { state_->freeze(); }

  /// What was recorded and generated for the last call.
  Explanation explain() const { return state_->explain(); }
  Stats stats() const { return state_->stats(); }

  /// The function itself; a module inside of another is walked through it.
  Function& held() const requires Module<std::remove_const_t<Function>> { return held_.function; }

 private:
  // Inside of a recording, a gradient, a branch or a batch, its operations are part of that.
  template <class... Args>
  jit::ResultOf<Function, Args...> call_or_include(Args&&... args) const {
    const bool is_inside = is_recording() || current_body != 0 || active_differentiations() != 0;
    if (is_inside || detail::calls_are_disabled()) {
      return held_.function(std::forward<Args>(args)...);
    }
    if (current_stance() == Stance::force_eager) {
      state_->note_eager_call();
      return held_.function(std::forward<Args>(args)...);
    }
    return call(jit::bind_arguments<Function>(std::forward<Args>(args)...));
  }

  template <class... Bound>
  auto call(std::tuple<Bound...> bound) const {
    using Result = jit::ResultOf<Function, Bound...>;
    const jit::CallLoan loan(*state_);
    jit::Call& call = *loan;
    if constexpr (!jit::detail::is_closed<Function>) {
      call.variant = nullptr;
      call.signature = jit::signature_of(held_.function, bound);
      return run<Result>(call, bound);
    } else {
      if (jit::is_repeated(call, held_.function, bound)) {
        jit::bind_loose_leaves(call, state_->where());
      } else if (!find(call, bound)) {
        return run<Result>(call, bound);
      }
      if (jit::checks()) jit::check<Result>(call, held_.function, bound, state_->where());
      return replay<Result>(call, bound);
    }
  }

  // Finds the variant that serves the call, if there is one.
  template <class... Bound>
  bool find(jit::Call& call, std::tuple<Bound...>& bound) const {
    call.snapshot.type = nullptr;
    call.variant = nullptr;
    call.signature = jit::signature_of(held_.function, bound);
    if (call.signature.leaves.is_open) return false;
    auto variant = state_->find(call.signature, call.symbols);
    if (variant == nullptr) return false;
    jit::bind_inputs(*variant, call.leaves(), call.memory, state_->where());
    call.variant = std::move(variant);
    if (!call.variant->is_interim) jit::note_arguments(call, held_.function, bound);
    return true;
  }

  // The call that no variant serves, so far as this thread knows.
  template <class Result, class... Bound>
  Result run(jit::Call& call, std::tuple<Bound...>& bound) const {
    const jit::OnMiss on_miss = state_->on_miss();
    std::optional<jit::Turn> turn;
    if constexpr (jit::detail::is_closed<Function>) {
      if (!call.signature.leaves.is_open && !state_->runs_again()) {
        if (on_miss == jit::OnMiss::interpret) return run_as_written<Result>(bound);
        if (on_miss == jit::OnMiss::refuse) refuse(call.signature, bound);
        turn.emplace(state_->recording_turns(), state_->recording_key(call.signature));
        if (find(call, bound)) {  // of another thread
          turn.reset();
          return replay<Result>(call, bound);
        }
      }
    }
    return record<Result>(call, bound, on_miss, turn);
  }

  template <class Result, class... Bound>
  Result run_as_written(std::tuple<Bound...>& bound) const {
    state_->note_eager_call();
    return std::apply(
        [this](auto&... argument) -> Result {
          return held_.function(static_cast<Bound&&>(argument)...);
        },
        bound);
  }

  template <class... Bound>
  [[noreturn]] void refuse(const jit::CallSignature& call, std::tuple<Bound...>& bound) const {
    const jit::detail::Names names = jit::detail::names_of(held_.function, bound);
    state_->refuse(state_->failure_of(call, names.leaves, names.plain));
  }

  // Runs the function, and lets a recording stand for it from now on if one can.
  template <class Result, class... Bound>
  Result record(jit::Call& call, std::tuple<Bound...>& bound, jit::OnMiss on_miss,
                std::optional<jit::Turn>& turn) const {
    jit::Attempt<Result, Function, Bound...> attempt(*state_, held_.function, bound, call.signature,
                                                     on_miss, jit::Asker::call, turn);
    attempt.run();
    if (!attempt.closes()) {
      if (turn) turn->end();
      return attempt.finish();
    }
    jit::Fresh<Function, Bound...> fresh = attempt.close();
    if (turn) turn->end();
    call.variant = fresh.variant;
    call.signature = fresh.signature;
    const guard::Guard& guard = call.variant->recording.guard;
    call.symbols.assign(guard.symbols.size(), 0);
    if (!matches(guard, call.signature.structure, call.leaves(), call.symbols)) {
      throw InternalError("compile: a recording does not fit its own call");
    }
    jit::bind_inputs(*call.variant, call.leaves(), call.memory, state_->where());
    if constexpr (std::is_void_v<Result>) {
      replay<Result>(call, bound);
      jit::adopt_created_state(fresh, held_.function, bound);
    } else {
      Result result = replay<Result>(call, bound);
      jit::adopt_created_state(fresh, held_.function, bound);
      return result;
    }
  }

  template <class Result, class... Bound>
  Result replay(jit::Call& call, std::tuple<Bound...>& bound) const {
    std::vector<Tensor> shared;
    if (jit::may_overlap(held_.function, bound) && !call.variant->recording.changes_structure) {
      const jit::detail::CallNames<Function, Bound...> names(held_.function, bound);
      shared = jit::detail::shared_leaves(call.variant->recording.changed, call.leaves(), names,
                                          state_->where());
    }
    return jit::replay<Result>(call, held_.function, bound);
  }

  template <class Passed, class Values, std::size_t... i>
  void prepare_passed(Values& values, std::index_sequence<i...>) const {
    auto bound = jit::bind_arguments<Function>(
        static_cast<std::tuple_element_t<i, Passed>>(std::get<i>(values))...);
    prepare_bound(bound);
  }

  template <class... Bound>
  void prepare_bound(std::tuple<Bound...>& bound) const {
    using Result = jit::ResultOf<Function, Bound...>;
    const jit::CallSignature signature = jit::signature_of(held_.function, bound);
    std::optional<jit::Turn> turn;
    if constexpr (jit::detail::is_closed<Function>) {
      turn.emplace(state_->recording_turns(), state_->recording_key(signature));
      std::vector<std::int64_t> symbols;
      if (state_->find(signature, symbols) != nullptr) return runtime::wait_for_background();
    }
    jit::Attempt<Result, Function, Bound...> attempt(*state_, held_.function, bound, signature,
                                                     state_->on_miss_of_prepare(),
                                                     jit::Asker::prepare, turn);
    attempt.run();
    attempt.closes() ? static_cast<void>(attempt.close()) : attempt.prepare();
  }

  jit::detail::Held<F> held_;
  std::shared_ptr<jit::State> state_;
};

/// `function`, compiled: recorded once for each signature of its arguments, fused, and replayed. An
/// lvalue is kept by reference, anything else is owned. A closed function (one without captures, or
/// a module) is replayed without being run again; one that captures, or reads elements, runs on
/// every call, and what it records is found by what it did.
template <class F>
auto compile(F&& function, CompileOptions options = {}, Where where = Where::current()) {
  if constexpr (std::is_function_v<std::remove_reference_t<F>>) {
    return Compiled<std::decay_t<F>>(+function, options, where);
  } else {
    return Compiled<F>(std::forward<F>(function), options, where);
  }
}

/// Prints `explanation`, graphs and kernels.
void print(const Explanation& explanation);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/compile.ipp>
#endif
