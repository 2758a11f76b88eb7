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

/// Ends what observe() began: the compiled function is again the one that it was.
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

  /// Waits for calls of the function of the user; there are none afterwards.
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

/// Calls seen(name, value) in each call of `f`, after its graph has run, for each value whose name
/// fits `pattern`: the result of a module, by its path "encoder.layers.0", or a value of
/// observe(x, name). In `pattern` * stands for any text and ? for a character. docs/seeing.md says
/// how that changes `f`, what `seen` may do, and which thread calls it.
///
/// Calls of `f` throw what `seen` throws, and GraphBreakError for a value in a branch or while_loop
/// of a batch.
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
