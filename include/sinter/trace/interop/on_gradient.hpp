#pragma once
// on_gradient(): changes or shows the gradient of a value when it is ready.

#include <span>         // std::span
#include <type_traits>  // std::is_trivially_copyable_v, std::is_void_v
#include <utility>      // std::forward

#include <sinter/config.hpp>
#include <sinter/trace/interop/custom_op.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// `x`, whose gradient `backward` gives, from x, x and the gradient.
Tensor with_gradient(const Tensor& x, const TensorFunction& backward, Where where);
/// `gradient`, after `seen` was called with it, at its place in each replay.
Tensor seen_gradient(const Tensor& gradient, const HostCall& seen, Where where);
/// Copies the gradient to the result; gives it as a tensor of its own.
Tensor passed_on(std::span<const RawTensor> in, std::span<const RawTensor> out);

// The host function that shows a gradient; empty if F is, so that recordings of it are equal.
template <class F>
struct ShowGradient {
  [[no_unique_address]] F function;
  void operator()(std::span<const RawTensor> in, std::span<const RawTensor> out) const {
    function(passed_on(in, out));
  }
};

}  // namespace detail

/// `x`, with function(gradient) called when its gradient is ready, as torch's register_hook does. A
/// function that gives a tensor is recorded, and changes the gradient. One that gives nothing sees
/// the elements on the host, at its place in each replay, without a graph break:
/// docs/seeing.md.
///
/// The gradient throws ShapeError or DTypeError unless the function keeps its shape and dtype.
template <class F>
Tensor on_gradient(Operand x, F&& function) {
  using Function = std::decay_t<F>;
  constexpr bool fits = std::is_invocable_v<const Function&, const Tensor&>;
  static_assert(fits,
                "sinter::on_gradient(x, f) requires a function of the gradient: "
                "[](const Tensor& g) { return clamp(g, -1, 1); }");
  if constexpr (!fits) {
    return Tensor();
  } else if constexpr (std::is_void_v<std::invoke_result_t<const Function&, const Tensor&>>) {
    const Where where = x.where;
    Function held(std::forward<F>(function));
    detail::HostCall seen(detail::ShowGradient<Function>{held});
    if constexpr (std::is_trivially_copyable_v<Function> && !std::is_empty_v<Function>) {
      seen.identity = detail::identity_of_call(&detail::type_tag<Function>,
                                               __builtin_addressof(held), sizeof(held));
    }
    return detail::with_gradient(
        x.tensor(),
        [=](const Tensor&, const Tensor&, const Tensor& gradient) {
          return detail::seen_gradient(gradient, seen, where);
        },
        where);
  } else {
    return detail::with_gradient(
        x.tensor(),
        [held = Function(std::forward<F>(function))](
            const Tensor&, const Tensor&, const Tensor& gradient) { return held(gradient); },
        x.where);
  }
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/interop/on_gradient.ipp>
#endif
