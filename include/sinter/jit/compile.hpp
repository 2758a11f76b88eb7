#pragma once
// compile(f): a function that records f once for each signature, and replays it afterwards.

#include <memory>       // std::shared_ptr
#include <tuple>        // std::tuple
#include <type_traits>  // std::decay_t
#include <utility>      // std::forward, std::index_sequence

#include <sinter/config.hpp>
#include <sinter/jit/callable.hpp>
#include <sinter/jit/options.hpp>
#include <sinter/jit/prepare.hpp>
#include <sinter/jit/stance.hpp>
#include <sinter/trace/call_at.hpp>
#include <sinter/trace/evaluate.hpp>
#include <sinter/trace/host.hpp>
#include <sinter/trace/operators.hpp>
#include <sinter/trace/transform.hpp>

namespace sinter::inline SINTER_ABI {

namespace jit {

class State;

/// What a compiled function keeps.
std::shared_ptr<State> make_state(const CompileOptions& options, Where where);
/// The line of compile(), which is that of calls as well: they cannot take one.
Where line_of(const State& state);

/// Serves a call: finds what was compiled for it, or runs the function. The call gets its result,
/// and its arguments their new values.
void serve(State& state, AnyCall& call);
/// Compiles what a call like this one needs.
void prepare(State& state, AnyCall& call);
/// Counts a call of the function as it is written.
void note_eager_call(State& state);
/// Nothing new is compiled from now on.
void freeze(State& state);
Explanation explain(State& state);
Stats stats(State& state);

}  // namespace jit

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
  void freeze() const { jit::freeze(*state_); }

  /// What was recorded and generated for the last call, or prepare().
  Explanation explain() const { return jit::explain(*state_); }
  Stats stats() const { return jit::stats(*state_); }

  /// The function itself; a module inside of another is walked through it.
  Function& held() const requires Module<std::remove_const_t<Function>> { return held_.function; }

 private:
  // Inside of a recording, a gradient, a branch or a batch, its operations are part of that.
  template <class... Args>
  jit::ResultOf<Function, Args...> call_or_include(Args&&... args) const {
    const bool is_inside = is_recording() || current_body != 0 || active_differentiations() != 0;
    if (is_inside || detail::calls_are_disabled()) {
      return call_function<Args...>(args...);
    }
    if (current_stance() == Stance::force_eager) {
      jit::note_eager_call(*state_);
      return call_function<Args...>(args...);
    }
    return call(jit::bind_arguments<Function>(std::forward<Args>(args)...));
  }

  template <class... Args>
  decltype(auto) call_function(std::remove_reference_t<Args>&... args) const {
    return detail::call_as<Args&&...>(jit::line_of(*state_), held_.function, args...);
  }

  template <class... Bound>
  auto call(std::tuple<Bound...> bound) const {
    using Result = jit::ResultOf<Function, Bound...>;
    jit::TypedCall<Result, jit::detail::SelfOf<Function>, Bound...> call(held_.function, bound);
    jit::serve(*state_, call);
    return call.result();
  }

  template <class Passed, class Values, std::size_t... i>
  void prepare_passed(Values& values, std::index_sequence<i...>) const {
    prepare_bound(jit::bind_arguments<Function>(
        static_cast<std::tuple_element_t<i, Passed>>(std::get<i>(values))...));
  }

  template <class... Bound>
  void prepare_bound(std::tuple<Bound...> bound) const {
    using Result = jit::ResultOf<Function, Bound...>;
    jit::TypedCall<Result, jit::detail::SelfOf<Function>, Bound...> call(held_.function, bound);
    jit::prepare(*state_, call);
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
