#pragma once
// compile(f): records f once per signature of its arguments and replays the recording afterwards.

#include <tuple>        // std::tuple
#include <type_traits>  // std::decay_t
#include <utility>      // std::forward, std::index_sequence

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/call/body_call.hpp>
#include <sinter/jit/call/options_scope.hpp>
#include <sinter/jit/call/serve.hpp>
#include <sinter/jit/interface/callable.hpp>
#include <sinter/jit/interface/mismatch.hpp>
#include <sinter/jit/interface/options.hpp>
#include <sinter/jit/interface/stance.hpp>
#include <sinter/jit/interface/tensor_spec.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/interop/host.hpp>
#include <sinter/trace/module/call_at.hpp>
#include <sinter/trace/module/fixed_tensors.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/transform/grad.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

namespace jit {

class State;

/// The variants, options and statistics of a compiled function.
SharedPtr<State> make_state(const CompileOptions& options, Where where);
/// The line of compile(). Errors of calls name it too, because calls cannot take a Where.
Where line_of(const State& state);

/// Counts a call that ran the function without compiled code.
void note_eager_call(State& state);
/// Compiles nothing new from now on.
void freeze(State& state);
Explanation explain(State& state);
Stats stats(State& state);

}  // namespace jit

namespace debug {
struct CallAccess;
}  // namespace debug

namespace jit::detail {

/// An owned callable is mutable, so that a const Compiled can call it. One kept by reference keeps
/// its constness.
template <class F>
struct StoredCallable {
  mutable F function;
};
template <class F>
struct StoredCallable<F&> {
  F& function;
};

}  // namespace jit::detail

namespace jit {

/// Watches the lifetime of what the callable refers to: a module kept by reference, or locals that
/// a closure captures by reference. Null if there is nothing to watch.
template <class F>
SharedPtr<const sinter::detail::LifetimeWatch> watch_of(
    [[maybe_unused]] std::remove_reference_t<F>& function, [[maybe_unused]] Where where) {
  using sinter::detail::LifetimeWatch;
  using Function = std::remove_const_t<std::remove_reference_t<F>>;
  Vector<const void*> list;
  if constexpr (Module<Function>) {
    if constexpr (std::is_lvalue_reference_v<F>) sinter::detail::add_fixed_tensors(function, list);
  } else if constexpr (std::is_class_v<Function> && !std::is_empty_v<Function>) {
    list = sinter::detail::captured_locals(__builtin_addressof(function), sizeof(Function));
  }
  if (list.empty()) return nullptr;
  const auto subject =
      Module<Function> ? LifetimeWatch::Subject::module : LifetimeWatch::Subject::captures;
  return make_shared_ptr<const LifetimeWatch>(subject, std::move(list), where);
}

}  // namespace jit

}  // namespace detail

/// The result of compile(f). Called like `f`: the first call of each signature records and
/// compiles, later calls replay. Copies share compiled code. `F` is a reference if compile() got an
/// lvalue.
template <class F>
class Compiled {
 public:
  using Function = std::remove_reference_t<F>;
  static constexpr bool is_callable =
      detail::jit::require_callable<std::remove_const_t<Function>>();

  Compiled(F&& function, const CompileOptions& options, Where where)
      : held_{std::forward<F>(function)}, state_(detail::jit::make_state(options, where)) {
#ifdef SINTER_LIFETIMES
    watch_ = detail::jit::watch_of<F>(held_.function, where);
#endif
  }

  /// The result of the function. Non-const lvalue arguments that it changes get their new values.
  ///
  /// Throws what the function throws while it is recorded, and IndexError or ValueError for invalid
  /// data. The arguments are unchanged if it throws.
  template <class... Args>
  auto operator()(Args&&... args) const {
    constexpr detail::jit::CallMismatch mismatch = detail::jit::mismatch<Function, Args&&...>();
    detail::jit::require_fit<is_callable ? mismatch : detail::jit::CallMismatch()>();
    if constexpr (is_callable && mismatch.kind == detail::jit::Mismatch::none) {
      return call_or_include(std::forward<Args>(args)...);
    } else {  // so that require_fit reports the only error
      return Tensor();
    }
  }

  /// Compiles for arguments like these without running anything; a later call with such arguments
  /// compiles nothing. A TensorSpec stands for a tensor. Tensors passed here are neither read nor
  /// changed. Thread-safe. Waits for the compiler even with `background`.
  ///
  /// Throws what the function throws while it is recorded, GraphBreakError where it reads elements,
  /// and RecompileLimitError after freeze() or at recompile_limit.
  template <class... Args>
  void prepare(Args&&... args) const {
    using AsLvalues = std::is_invocable<Function&, detail::jit::detail::PreparedAsLvalue<Args>...>;
    constexpr bool fits =
        AsLvalues::value || std::is_invocable_v<Function&, detail::jit::detail::Prepared<Args>...>;
    if constexpr (!fits) {
      detail::jit::require_fit<
          detail::jit::mismatch<Function, detail::jit::detail::PreparedAsLvalue<Args>...>()>();
    } else {
      std::tuple<detail::jit::detail::Prepared<Args>...> values(
          detail::jit::detail::prepared(std::forward<Args>(args))...);
      using Passed = std::conditional_t<AsLvalues::value,
                                        std::tuple<detail::jit::detail::PreparedAsLvalue<Args>...>,
                                        std::tuple<detail::jit::detail::Prepared<Args>&&...>>;
      prepare_passed<Passed>(values, std::index_sequence_for<Args...>());
    }
  }

  /// Compiles nothing from now on: a call that no existing variant serves throws
  /// RecompileLimitError, which names the guard that failed. For servers, where a compile would
  /// delay a request. Irreversible. Copies are frozen too.
  void freeze() const { detail::jit::freeze(*state_); }

  /// The graphs and kernels of the last call or prepare().
  Explanation explain() const { return detail::jit::explain(*state_); }
  Stats stats() const { return detail::jit::stats(*state_); }

  /// The compiled module, kept by reference or owned. Its state can be read, changed, saved and
  /// loaded through it. Functions that take a module also take its Compiled.
  ///
  /// Throws ValueError, with SINTER_LIFETIMES, if it is kept by reference and has ended.
  Function& module() const requires Module<std::remove_const_t<Function>> {
    require_alive();
    return held_.function;
  }
  /// The same; the walk over nested modules uses it.
  Function& held() const requires Module<std::remove_const_t<Function>> { return module(); }
  /// Internal access.
  const detail::SharedPtr<detail::jit::State>& state() const { return state_; }

 private:
  friend struct detail::debug::CallAccess;

  void require_alive() const {
    if (watch_) watch_->require_alive();
  }

  // Within a recording the call is inlined. Within a branch or a batch outside of recordings it is
  // one operation.
  template <class... Args>
  detail::jit::ResultOf<Function, Args...> call_or_include(Args&&... args) const {
    require_alive();
    const sinter::detail::WatchScope scope(watch_ ? watch_.get() : sinter::detail::current_watch);
    if (is_recording() || detail::calls_are_disabled()) {
      const detail::jit::OptionsScope options(*state_);
      return call_function<Args...>(args...);
    }
    if (current_stance() == Stance::force_eager) {
      detail::jit::note_eager_call(*state_);
      return call_function<Args...>(args...);
    }
    return call(detail::jit::bind_arguments<Function>(detail::jit::line_of(*state_),
                                                      std::forward<Args>(args)...));
  }

  template <class... Args>
  decltype(auto) call_function(std::remove_reference_t<Args>&... args) const {
    return detail::call_as<Args&&...>(detail::jit::line_of(*state_), held_.function, args...);
  }

  template <class... Bound>
  auto call(std::tuple<Bound...> bound) const {
    using Result = detail::jit::ResultOf<Function, Bound...>;
    detail::jit::TypedCall<Result, detail::jit::detail::SelfOf<Function>, Bound...> call(
        held_.function, bound);
    detail::current_body == 0 ? detail::jit::serve(*state_, call)
                              : detail::jit::serve_in_body(*state_, call);
    return call.result();
  }

  template <class Passed, class Values, std::size_t... i>
  void prepare_passed(Values& values, std::index_sequence<i...>) const {
    prepare_bound(detail::jit::bind_arguments<Function>(
        detail::jit::line_of(*state_),
        static_cast<std::tuple_element_t<i, Passed>>(std::get<i>(values))...));
  }

  template <class... Bound>
  void prepare_bound(std::tuple<Bound...> bound) const {
    using Result = detail::jit::ResultOf<Function, Bound...>;
    detail::jit::TypedCall<Result, detail::jit::detail::SelfOf<Function>, Bound...> call(
        held_.function, bound);
    detail::jit::prepare(*state_, call);
  }

  detail::jit::detail::StoredCallable<F> held_;
  detail::SharedPtr<detail::jit::State> state_;
  detail::SharedPtr<const sinter::detail::LifetimeWatch> watch_{};
};

/// `function`, compiled: recorded once per signature of its arguments, fused, and replayed. An
/// lvalue is kept by reference, anything else is owned. A function without captures, or a module,
/// is replayed without running again. One that has captures or reads elements is traced on every
/// call; its compiled graphs are looked up by the operations that it recorded.
template <class F>
auto compile(F&& function, CompileOptions options = {}, Where where = Where::current()) {
  detail::jit::require_callable<std::remove_cvref_t<F>>();
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
