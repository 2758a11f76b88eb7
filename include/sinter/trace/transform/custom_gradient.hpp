#pragma once
// Functions with user-defined gradients.

#include <tuple>        // std::tuple_cat
#include <type_traits>  // std::decay_t
#include <utility>      // std::forward
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/module/call_at.hpp>
#include <sinter/trace/module/structure.hpp>
#include <sinter/trace/subgraph/body.hpp>
#include <sinter/trace/transform/control.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// Adds variables for the results of `forward` to `backward`.
std::vector<Tensor> add_result_variables(Body& backward, const Body& forward, Where where);
/// Adds variables for the gradients of the floating results; other results have gradient zero.
std::vector<Tensor> add_gradient_variables(Body& backward, const Body& forward, Where where);
/// Throws unless `given` are gradients of the floating `operands`. Sizes that have to be equal are
/// equal afterwards.
void require_gradients(const std::vector<Tensor>& given, const std::vector<Tensor>& operands,
                       Where where);
/// The graph of `backward`: body 1 of a call of `operands` and `captured`, to which missing tensors
/// are appended.
Graph gradient_graph_of(const Body& backward, const std::vector<Tensor>& operands,
                        std::vector<Tensor>& captured);
/// The results of `forward` for `operands`, with gradients by `backward`.
std::vector<Tensor> record_call(const std::vector<Tensor>& operands, const Body& forward,
                                const Body& backward, Where where);

// Unpacks a result into arguments.
template <class T>
auto as_parts(T value) {
  if constexpr (TupleLike<T> && !Range<T> && !Module<T>) {
    return std::apply([](auto&... part) { return std::tuple{part...}; }, value);
  } else {
    return std::tuple{std::move(value)};
  }
}

}  // namespace detail

/// The result of custom_gradient(forward, backward).
template <class F, class B>
struct CustomGradientOf {
  // Replayed (no captures) if both functions are.
  using Transformed = std::conditional_t<std::is_empty_v<B> || std::is_pointer_v<B>, F, B>;
  [[no_unique_address]] F forward;
  [[no_unique_address]] B backward;
  Where where{};

  template <class... Args>
  auto operator()(const Args&... args) const {
    std::tuple given{detail::as_argument(args, where)...};
    const std::vector<Tensor> operands = detail::tensors_in(given, where);
    detail::Body first, second;
    auto result = [&] {
      const detail::BodyScope scope(first, detail::BodyEffects::noted);
      detail::add_variables(first, operands, where);
      return detail::trace_body(first, forward, given, where);
    }();
    trace_backward(second, first, operands, given, result);
    detail::replace_tensors(result, detail::record_call(operands, first, second, where), where);
    return result;
  }

 private:
  template <class Given, class Result>
  void trace_backward(detail::Body& body, const detail::Body& first,
                      const std::vector<Tensor>& operands, Given given, Result result) const {
    const detail::BodyScope scope(body);
    detail::add_variables(body, operands, where);
    detail::replace_tensors(given, body.variables, where);
    Result gradient = result;
    detail::replace_tensors(result, detail::add_result_variables(body, first, where), where);
    detail::replace_tensors(gradient, detail::add_gradient_variables(body, first, where), where);
    auto passed = std::tuple_cat(given, detail::as_parts(result), detail::as_parts(gradient));
    auto found = detail::as_tensors(detail::result_at(where, backward, passed), where);
    body.results = detail::tensors_in(found, where);
  }
};

/// A function that computes `forward`, with the gradient defined by `backward`: backward(x...,
/// y..., g...) returns the gradients of the floating tensors in x..., in their order, as one tensor
/// or a tuple. y... are the results of forward(x...), one or the elements of a tuple, and g...
/// their gradients. Both functions are recorded, so they are compiled and batched, and `backward`
/// can be differentiated again. No gradient flows to captured tensors: pass them as arguments.
///
/// Throws ShapeError and DTypeError unless `backward` returns a gradient of the right type for each
/// floating tensor in x...; GraphBreakError if a function reads elements on the host
/// Source jax.custom_vjp, torch.autograd.Function
template <class F, class B>
auto custom_gradient(F&& forward, B&& backward, Where where = Where::current()) {
  return CustomGradientOf<std::decay_t<F>, std::decay_t<B>>{std::forward<F>(forward),
                                                            std::forward<B>(backward), where};
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/transform/custom_gradient.ipp>
#endif
