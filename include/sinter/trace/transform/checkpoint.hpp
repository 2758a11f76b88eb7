#pragma once
// Gradient checkpointing: only the arguments are kept, the gradient recomputes the rest.

#include <tuple>        // std::tuple
#include <type_traits>  // std::decay_t
#include <utility>      // std::forward
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/module/structure.hpp>
#include <sinter/trace/subgraph/body.hpp>
#include <sinter/trace/transform/control.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// The results of `body` for `operands`; the gradient recomputes the body.
std::vector<Tensor> record_checkpoint(const std::vector<Tensor>& operands, const Body& body,
                                      Where where);

}  // namespace detail

/// The result of checkpoint(f).
template <class F>
struct CheckpointOf {
  using Transformed = F;
  [[no_unique_address]] F function;
  Where where{};

  template <class... Args>
  auto operator()(const Args&... args) const {
    std::tuple<decltype(detail::as_argument(args, where))...> given{
        detail::as_argument(args, where)...};
    const std::vector<Tensor> operands = detail::tensors_in(given, where);
    detail::Body body;
    auto result = [&] {
      const detail::BodyScope scope(body, detail::BodyEffects::noted);
      detail::add_variables(body, operands, where);
      return detail::trace_body(body, function, given, where);
    }();
    detail::replace_tensors(result, detail::record_checkpoint(operands, body, where), where);
    return result;
  }
};

/// A function with the results and gradients of `function` that keeps only its arguments and
/// captures: the gradient recomputes the rest. A network whose layers, or groups of layers, are
/// checkpoints needs the memory of the arguments of all groups plus the intermediates of one group,
/// for one more forward pass. Recomputed random numbers are the same, and state that the function
/// assigns, such as that of a batch norm, is assigned once.
///
/// Arguments and results are tensors, numbers, or tuples, containers, structs and modules of them.
/// Inside vmap, values and gradients are right, but recomputed values are kept after all.
///
/// Throws GraphBreakError if `function` reads elements on the host
/// Source torch.utils.checkpoint, jax.checkpoint
template <class F>
auto checkpoint(F&& function, Where where = Where::current()) {
  return CheckpointOf<std::decay_t<F>>{std::forward<F>(function), where};
}
template <class F, detail::TensorLike X, class... Rest>
Tensor checkpoint(F&&, const X&, const Rest&...) {  // meant as checkpoint(f)(x, ...)
  detail::require_no_arguments<F>();
  return {};
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/transform/checkpoint.ipp>
#endif
