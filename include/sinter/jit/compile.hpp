#pragma once
// compile(f): a function that records f once for each signature, and replays it afterwards.

#include <chrono>       // std::chrono::steady_clock
#include <memory>       // std::shared_ptr
#include <tuple>        // std::tuple
#include <type_traits>  // std::decay_t
#include <utility>      // std::forward

#include <sinter/config.hpp>
#include <sinter/jit/callable.hpp>
#include <sinter/jit/options.hpp>
#include <sinter/jit/repeat.hpp>
#include <sinter/jit/state.hpp>
#include <sinter/trace/evaluate.hpp>
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
      : held_{std::forward<F>(function)}, state_(std::make_shared<jit::State>(options, where)) {
    jit::require_closed<Function>(where);
  }

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

  /// What was recorded and generated for the last call.
  Explanation explain() const { return state_->explain(); }
  Stats stats() const { return state_->stats(); }

  /// The function itself; a module inside of another is walked through it.
  Function& held() const requires Module<std::remove_const_t<Function>> { return held_.function; }

 private:
  // Inside of a recording, or of a gradient, the function's operations are part of it.
  template <class... Args>
  jit::ResultOf<Function, Args...> call_or_include(Args&&... args) const {
    if (is_recording() || active_differentiations() != 0) {
      return held_.function(std::forward<Args>(args)...);
    }
    return call(jit::bind_arguments<Function>(std::forward<Args>(args)...));
  }

  template <class... Bound>
  auto call(std::tuple<Bound...> bound) const {
    using Result = jit::ResultOf<Function, Bound...>;
    const jit::CallLoan loan(*state_);
    jit::Call& call = *loan;
    if (jit::is_repeated(call, held_.function, bound)) {
      jit::bind_loose_leaves(call, state_->where());
    } else if (!find(call, bound)) {
      return record<Result>(call, bound);
    }
    if (jit::checks()) jit::check<Result>(call, held_.function, bound, state_->where());
    return replay<Result>(call, bound);
  }

  // Finds the variant that serves the call, if there is one.
  template <class... Bound>
  bool find(jit::Call& call, std::tuple<Bound...>& bound) const {
    call.snapshot.type = nullptr;
    call.variant = nullptr;
    call.signature = jit::signature_of(held_.function, bound);
    if (call.signature.leaves.is_open) jit::detail::throw_open(state_->where());
    auto variant = state_->find(call.signature, call.symbols);
    if (variant == nullptr) return false;
    jit::bind_inputs(*variant, call.leaves(), call.memory, state_->where());
    call.variant = std::move(variant);
    jit::note_arguments(call, held_.function, bound);
    return true;
  }

  // Makes the variant that serves the call, and runs it. Arguments get the state that the function
  // created when all is done.
  template <class Result, class... Bound>
  Result record(jit::Call& call, std::tuple<Bound...>& bound) const {
    jit::Fresh<Function, Bound...> fresh;
    {
      const std::lock_guard lock(state_->recording_mutex());
      auto variant = state_->find(call.signature, call.symbols);  // of another thread
      if (variant == nullptr) {
        fresh = jit::record<Result>(*state_, held_.function, bound, call.signature);
        variant = fresh.variant;
        call.signature = fresh.signature;
        const guard::Guard& guard = variant->recording.guard;
        call.symbols.assign(guard.symbols.size(), 0);
        if (!matches(guard, call.signature.structure, call.leaves(), call.symbols)) {
          throw InternalError("compile: a recording does not fit its own call");
        }
      }
      call.variant = std::move(variant);
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
    if (jit::may_overlap(held_.function, bound)) {
      jit::detail::require_distinct(call.variant->recording, call.leaves(), state_->where());
    }
    return jit::replay<Result>(call, held_.function, bound);
  }

  jit::detail::Held<F> held_;
  std::shared_ptr<jit::State> state_;
};

/// `function`, compiled: recorded once for each signature of its arguments, fused, and replayed. An
/// lvalue is kept by reference, anything else is owned. Functions must be closed: without captures,
/// or modules.
///
/// Throws ValueError for a callable with captures: this version does not see them change.
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
