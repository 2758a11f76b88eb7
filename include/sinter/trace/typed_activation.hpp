#pragma once
// The activation functions of typed tensors.

#include <optional>  // std::optional
#include <utility>   // std::move

#include <sinter/config.hpp>
#include <sinter/trace/activation.hpp>
#include <sinter/trace/typed_elementwise.hpp>

namespace sinter::inline SINTER_ABI {

auto relu(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<relu, Takes::numbers>>(at, std::move(x));
}
auto relu6(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<relu6, Takes::numbers>>(at, std::move(x));
}
auto sigmoid(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<sigmoid, Takes::floating>>(at, std::move(x));
}
auto logsigmoid(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<logsigmoid, Takes::floating>>(at, std::move(x));
}
auto silu(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<silu, Takes::floating>>(at, std::move(x));
}
auto mish(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<mish, Takes::floating>>(at, std::move(x));
}
auto selu(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<selu, Takes::floating>>(at, std::move(x));
}
auto softsign(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<softsign, Takes::floating>>(at, std::move(x));
}
auto tanhshrink(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<tanhshrink, Takes::floating>>(at, std::move(x));
}
auto hardsigmoid(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<hardsigmoid, Takes::floating>>(at, std::move(x));
}
auto hardswish(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<hardswish, Takes::floating>>(at, std::move(x));
}

template <Expression E>
auto leaky_relu(const E& x, double negative_slope = 0.01, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(
      leaky_relu({x, at}, negative_slope), at);
}
template <Expression E>
auto hardtanh(const E& x, double min_val = -1, double max_val = 1, Where at = Where::current()) {
  return detail::recorded_at_once<E::type.dtype, E::dims>(hardtanh({x, at}, min_val, max_val), at);
}
template <Expression E>
auto elu(const E& x, double alpha = 1, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(elu({x, at}, alpha), at);
}
template <Expression E>
auto celu(const E& x, double alpha = 1, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(celu({x, at}, alpha), at);
}
template <Expression E>
auto softplus(const E& x, double beta, double threshold = 20, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(
      softplus({x, at}, beta, threshold), at);
}
template <Expression E>
auto softshrink(const E& x, double lambd = 0.5, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(softshrink({x, at}, lambd),
                                                                     at);
}
template <Expression E>
auto hardshrink(const E& x, double lambd = 0.5, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(hardshrink({x, at}, lambd),
                                                                     at);
}
template <Expression E>
auto threshold(const E& x, double limit, double value, Where at = Where::current()) {
  return detail::recorded_at_once<E::type.dtype, E::dims>(threshold({x, at}, limit, value), at);
}
template <Expression E>
auto logit(const E& x, std::optional<double> eps = {}, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(logit({x, at}, eps), at);
}

namespace detail {

inline Tensor plain_softplus(Operand x) { return softplus(x, 1, 20); }
inline Tensor gelu_exact(Operand x) { return gelu(x, Gelu::exact); }

}  // namespace detail

auto softplus(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<detail::plain_softplus, Takes::floating>>(at, std::move(x));
}
auto gelu(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<detail::gelu_exact, Takes::floating>>(at, std::move(x));
}
template <Expression E>
auto gelu(const E& x, Gelu form, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(gelu({x, at}, form), at);
}

}  // namespace sinter::inline SINTER_ABI
