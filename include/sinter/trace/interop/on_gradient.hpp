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

/// `x`, with function(gradient) called when its gradient is computed; torch's register_hook. A
/// function that gives a tensor changes the gradient, which flows on: it is recorded into the
/// graph. One that gives nothing sees the elements: it runs on the host, in each replay, without a
/// graph break, on the thread that computes, and what it throws arrives at the caller.
///
///   h = on_gradient(h, [](const Tensor& g) { return clamp(g, -1, 1); });
///   h = on_gradient(h, [](const Tensor& g) { log(norm(g).item<float>()); });
///
/// Without a gradient nothing is called. A function that sees elements must outlive the compiled
/// function, may be called by several threads at once, needs a copy constructor, and runs on the
/// host only. Captures should be pointers, references or numbers: with others, such as a string,
/// each recording looks new, and a function that is traced on every call is compiled on every call.
///
/// Throws ShapeError and DTypeError, of the computation of the gradient, if the function changes
/// the shape or dtype of the gradient
template <class F>
Tensor on_gradient(Operand x, F&& function) {
  using Function = std::decay_t<F>;
  constexpr bool fits = std::is_invocable_v<const Function&, const Tensor&>;
  static_assert(fits,
                "sinter::on_gradient(x, f) requires a function of the gradient: "
                "[](const Tensor& g) { return clamp(g, -1, 1); }");
  if constexpr (!fits) {
    return Tensor();
  } else if constexpr (std::is_trivially_copyable_v,
                       std::is_void_v<std::invoke_result_t<const Function&, const Tensor&>>) {
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
