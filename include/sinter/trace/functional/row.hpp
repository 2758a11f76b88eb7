#pragma once
// Softmax, norms and losses of typed tensors: the dimensions are kept, or all are reduced.

#include <optional>  // std::optional
#include <utility>   // std::move

#include <sinter/config.hpp>
#include <sinter/trace/functional/loss/loss.hpp>
#include <sinter/trace/functional/loss/probability.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/index/mask.hpp>
#include <sinter/trace/ops/movement/diagonal.hpp>
#include <sinter/trace/ops/movement/rearrange.hpp>
#include <sinter/trace/ops/reduce/cumulative.hpp>
#include <sinter/trace/ops/sort/sort.hpp>
#include <sinter/trace/ops/typed/dims.hpp>
#include <sinter/trace/ops/typed/elementwise.hpp>
#include <sinter/trace/ops/typed/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// `function` of x and an axis of it, with the dimensions of x.
template <DType dtype, int axis, Expression E, class Function>
auto along(const Function& function, const E& x, Where at) {
  constexpr bool exists = have_axes<axis>(E::dims);
  static_assert(exists, "sinter::softmax<axis>(x) requires -x.ndim() <= axis < x.ndim()");
  if constexpr (exists) return recorded_at_once<dtype, E::dims>(function(Operand(x, at), axis), at);
}

}  // namespace detail

template <int axis, detail::Expression E>
auto softmax(const E& x, Where at = Where::current()) {
  const auto function = [](const Operand& of, int along) { return softmax(of, along); };
  return detail::along<detail::floating_type<E>, axis>(function, x, at);
}
template <detail::Expression E>
auto softmax(const E& x, int axis, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(softmax({x, at}, axis), at);
}
template <int axis, detail::Expression E>
auto log_softmax(const E& x, Where at = Where::current()) {
  const auto function = [](const Operand& of, int along) { return log_softmax(of, along); };
  return detail::along<detail::floating_type<E>, axis>(function, x, at);
}
template <detail::Expression E>
auto log_softmax(const E& x, int axis, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(log_softmax({x, at}, axis),
                                                                     at);
}
template <int axis, detail::Expression E>
auto softmin(const E& x, Where at = Where::current()) {
  const auto function = [](const Operand& of, int along) { return softmin(of, along); };
  return detail::along<detail::floating_type<E>, axis>(function, x, at);
}
template <detail::Expression E>
auto softmin(const E& x, int axis, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(softmin({x, at}, axis), at);
}
template <int axis, detail::Expression E>
auto cumsum(const E& x, Where at = Where::current()) {
  const auto function = [](const Operand& of, int along) { return cumsum(of, along); };
  return detail::along<detail::known_sum_dtype<E>, axis>(function, x, at);
}
template <detail::Expression E>
auto cumsum(const E& x, int axis, Where at = Where::current()) {
  return detail::recorded_at_once<detail::known_sum_dtype<E>, E::dims>(cumsum({x, at}, axis), at);
}
template <int axis, detail::Expression E>
auto cumprod(const E& x, Where at = Where::current()) {
  const auto function = [](const Operand& of, int along) { return cumprod(of, along); };
  return detail::along<detail::known_sum_dtype<E>, axis>(function, x, at);
}
template <detail::Expression E>
auto cumprod(const E& x, int axis, Where at = Where::current()) {
  return detail::recorded_at_once<detail::known_sum_dtype<E>, E::dims>(cumprod({x, at}, axis), at);
}

/// With `value` where the mask holds.
template <detail::Expression E>
auto masked_fill(const E& x, Operand mask, Operand value, Where at = Where::current()) {
  return detail::recorded_at_once<E::type.dtype, E::dims>(
      masked_fill({x, at}, std::move(mask), std::move(value)), at);
}
template <detail::Expression E>
auto tril(const E& x, std::int64_t diagonal = 0, Where at = Where::current()) {
  return detail::recorded_at_once<E::type.dtype, E::dims>(tril({x, at}, diagonal), at);
}
template <detail::Expression E>
auto triu(const E& x, std::int64_t diagonal = 0, Where at = Where::current()) {
  return detail::recorded_at_once<E::type.dtype, E::dims>(triu({x, at}, diagonal), at);
}
template <detail::Expression E>
auto roll(const E& x, std::int64_t shift, int axis, Where at = Where::current()) {
  return detail::recorded_at_once<E::type.dtype, E::dims>(roll({x, at}, shift, axis), at);
}
template <detail::Expression E>
auto dropout(const E& x, double p = 0.5, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(dropout({x, at}, p), at);
}
template <detail::Expression E>
auto detach(const E& x, Where at = Where::current()) {
  return detail::recorded_at_once<E::type.dtype, E::dims>(detach({x, at}), at);
}
template <detail::Expression E>
auto layer_norm(const E& x, Operand weight, Operand bias, double eps = 1e-5,
                Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(
      layer_norm({x, at}, std::move(weight), std::move(bias), eps), at);
}
template <detail::Expression E>
auto rms_norm(const E& x, Operand weight, double eps = 1e-5, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(
      rms_norm({x, at}, std::move(weight), eps), at);
}

namespace detail {

// The mean loss of x against a target of its dimensions.
template <Expression X, Expression Y, class Function>
auto mean_loss(const Function& function, const X& x, const Y& target, Where at) {
  constexpr bool fits = agree(X::dims, Y::dims);
  static_assert(fits, "sinter::mse_loss(x, target) requires x and target of the same dimensions");
  if constexpr (fits) {
    constexpr DType dtype = computed_by(Takes::floating, X::type, Y::type);
    return recorded_at_once<dtype, Dims<0>{}>(function(Operand(x, at), Operand(target, at)), at);
  }
}

// The mean loss of rows of logits against the class of each.
template <Expression X, Expression Y, class Function>
auto class_loss(const Function& function, const X& logits, const Y& target, Where at) {
  constexpr bool fits = logits_fit(X::dims, Y::dims);
  static_assert(fits,
                "sinter::cross_entropy(logits, target) requires target.shape == logits.shape "
                "without the classes, or with their probabilities");
  if constexpr (fits) {
    return recorded_at_once<X::type.dtype, Dims<0>{}>(
        function(Operand(logits, at), Operand(target, at)), at);
  }
}

}  // namespace detail

template <detail::Expression X, detail::Expression Y>
auto mse_loss(const X& x, const Y& target, Where at = Where::current()) {
  const auto function = [](const Operand& a, const Operand& b) { return mse_loss(a, b); };
  return detail::mean_loss(function, x, target, at);
}
template <detail::Expression X, detail::Expression Y>
auto l1_loss(const X& x, const Y& target, Where at = Where::current()) {
  const auto function = [](const Operand& a, const Operand& b) { return l1_loss(a, b); };
  return detail::mean_loss(function, x, target, at);
}
template <detail::Expression X, detail::Expression Y>
auto huber_loss(const X& x, const Y& target, Where at = Where::current()) {
  const auto function = [](const Operand& a, const Operand& b) { return huber_loss(a, b); };
  return detail::mean_loss(function, x, target, at);
}
template <detail::Expression X, detail::Expression Y>
auto smooth_l1_loss(const X& x, const Y& target, Where at = Where::current()) {
  const auto function = [](const Operand& a, const Operand& b) { return smooth_l1_loss(a, b); };
  return detail::mean_loss(function, x, target, at);
}
template <detail::Expression X, detail::Expression Y>
auto kl_div(const X& x, const Y& target, Where at = Where::current()) {
  const auto function = [](const Operand& a, const Operand& b) { return kl_div(a, b); };
  return detail::mean_loss(function, x, target, at);
}
template <detail::Expression X, detail::Expression Y>
auto binary_cross_entropy_with_logits(const X& x, const Y& target, Where at = Where::current()) {
  const auto function = [](const Operand& a, const Operand& b) {
    return binary_cross_entropy_with_logits(a, b);
  };
  return detail::mean_loss(function, x, target, at);
}
template <detail::Expression X, detail::Expression Y>
auto cross_entropy(const X& logits, const Y& target, Where at = Where::current()) {
  const auto function = [](const Operand& a, const Operand& b) { return cross_entropy(a, b); };
  return detail::class_loss(function, logits, target, at);
}
template <detail::Expression X, detail::Expression Y>
auto nll_loss(const X& logits, const Y& target, Where at = Where::current()) {
  const auto function = [](const Operand& a, const Operand& b) { return nll_loss(a, b); };
  return detail::class_loss(function, logits, target, at);
}

}  // namespace sinter::inline SINTER_ABI
