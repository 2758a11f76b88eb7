#pragma once
// Memory for time: functions of which only the arguments are kept for the gradient.

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

/// What `body` gives for `operands`; its gradient computes it again.
std::vector<Tensor> record_checkpoint(const std::vector<Tensor>& operands, const Body& body,
                                      Where where);

}  // namespace detail

/// What checkpoint(f) gives.
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

/// A function that gives what `function` gives, with the same gradients, for which nothing is kept
/// but the arguments and what is captured: the gradient computes the rest again. A network of n
/// layers, with each layer or group of layers as a checkpoint, takes the memory of the arguments of
/// the groups and of one group, for one more forward pass. Random numbers are the same again.
///
/// Arguments and results are tensors, numbers, or tuples, containers, structs and modules of them.
/// Inside of vmap, values and gradients stay right, but what is computed again is kept after all.
///
/// Throws GraphBreakError if `function` reads elements on the host
/// Source torch.utils.checkpoint, jax.checkpoint
template <class F>
auto checkpoint(F&& function, Where where = Where::current()) {
  return CheckpointOf<std::decay_t<F>>{std::forward<F>(function), where};
}
template <class F, detail::TensorLike X, class... Rest>
Tensor checkpoint(F&&, const X&, const Rest&...) {  // which is meant as checkpoint(f)(x, ...)
  detail::require_no_arguments<F>();
  return {};
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/transform/checkpoint.ipp>
#endif
