#pragma once
// observe(f, pattern, seen): shows values inside of a compiled function to the host.

#include <string_view>  // std::string_view
#include <type_traits>  // std::is_invocable_v
#include <utility>      // std::exchange, std::swap

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/compile.hpp>
#include <sinter/trace/interop/observe.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail::jit {
class Observer;
}  // namespace detail::jit

/// Ends what observe() began when it is destroyed: the function of the user is not called any more,
/// and the compiled function is the one that it was, without another compilation.
class [[nodiscard]] Observation {
 public:
  Observation() = default;
  Observation(detail::SharedPtr<detail::jit::State> state, std::string_view pattern,
              detail::SharedPtr<const detail::ObserverFunction> function, Where where);
  Observation(Observation&& other) noexcept
      : state_(std::exchange(other.state_, nullptr)),
        observer_(std::exchange(other.observer_, nullptr)) {}
  Observation& operator=(Observation&& other) noexcept {
    std::swap(state_, other.state_);
    std::swap(observer_, other.observer_);
    return *this;
  }
  ~Observation() { stop(); }

  /// Ends it now. Waits for a call of the function by another thread.
  void stop();

 private:
  detail::SharedPtr<detail::jit::State> state_{};
  detail::SharedPtr<detail::jit::Observer> observer_{};
};

namespace detail::debug {

template <class F>
class ObserverFunctionOf final : public ObserverFunction {
 public:
  explicit ObserverFunctionOf(F function) : function_(std::move(function)) {}
  void operator()(std::string_view name, const Tensor& value) const override {
    function_(name, value);
  }

 private:
  mutable F function_;
};

}  // namespace detail::debug

/// Calls seen(name, value) in each call of `f`, after the graph has run, for each value whose name
/// fits `pattern`: results of modules, by their path in the arguments of `f` ("encoder.layers.0"),
/// and values that observe(x, name) names, by that name and by the path of the running module and
/// it. In `pattern` * stands for any text, dots too, and ? for one character. A module that gives
/// several tensors shows the first.
///
///   const auto seeing = observe(model, "encoder.*.norm", [](auto name, const Tensor& x) {
///     std::printf("%s %g\n", std::string(name).c_str(), std(x).item<double>());
///   });
///
/// While it lives, `f` has other recordings and kernels, which keep these values, and the graph
/// does not break; stats() and explain() are those of the function that nobody observes. `seen`
/// runs on the thread of the call, one thread at a time, in the order of the values. What it throws
/// arrives at the caller of `f`, whose arguments are then unchanged. It must outlive the result,
/// and must not call `f`. A compiled function that another one calls is part of that: observe the
/// outer one. Prints a warning if no value fits.
///
/// Throws GraphBreakError, from calls of `f`, for a value in a branch or a while_loop.
template <class F, class Seen>
Observation observe(const Compiled<F>& f, std::string_view pattern, Seen&& seen,
                    Where where = Where::current()) {
  using Function = std::decay_t<Seen>;
  constexpr bool fits = std::is_invocable_v<Function&, std::string_view, const Tensor&>;
  static_assert(fits,
                "sinter::observe(f, pattern, seen) requires a function of a name and a value: "
                "[](std::string_view name, const Tensor& value) {}");
  if constexpr (fits) {
    using Held = detail::debug::ObserverFunctionOf<Function>;
    return {f.state(), pattern, detail::make_shared_ptr<const Held>(std::forward<Seen>(seen)),
            where};
  } else {
    return {};
  }
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/observe.ipp>
#endif
