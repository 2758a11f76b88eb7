#pragma once
// The activation functions of typed tensors.

#include <optional>  // std::optional
#include <utility>   // std::move

#include <sinter/config.hpp>
#include <sinter/trace/functional/activation.hpp>
#include <sinter/trace/typed/elementwise.hpp>

namespace sinter::inline SINTER_ABI {

auto relu(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<relu, detail::Takes::numbers>>(at, std::move(x));
}
auto relu6(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<relu6, detail::Takes::numbers>>(at, std::move(x));
}
auto sigmoid(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<sigmoid, detail::Takes::floating>>(at, std::move(x));
}
auto logsigmoid(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<logsigmoid, detail::Takes::floating>>(at, std::move(x));
}
auto silu(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<silu, detail::Takes::floating>>(at, std::move(x));
}
auto mish(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<mish, detail::Takes::floating>>(at, std::move(x));
}
auto selu(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<selu, detail::Takes::floating>>(at, std::move(x));
}
auto softsign(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<softsign, detail::Takes::floating>>(at, std::move(x));
}
auto tanhshrink(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<tanhshrink, detail::Takes::floating>>(at, std::move(x));
}
auto hardsigmoid(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<hardsigmoid, detail::Takes::floating>>(at, std::move(x));
}
auto hardswish(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<hardswish, detail::Takes::floating>>(at, std::move(x));
}

template <detail::Expression E>
auto leaky_relu(const E& x, double negative_slope = 0.01, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(
      leaky_relu({x, at}, negative_slope), at);
}
template <detail::Expression E>
auto hardtanh(const E& x, double min_val = -1, double max_val = 1, Where at = Where::current()) {
  return detail::recorded_at_once<E::type.dtype, E::dims>(hardtanh({x, at}, min_val, max_val), at);
}
template <detail::Expression E>
auto elu(const E& x, double alpha = 1, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(elu({x, at}, alpha), at);
}
template <detail::Expression E>
auto celu(const E& x, double alpha = 1, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(celu({x, at}, alpha), at);
}
template <detail::Expression E>
auto softplus(const E& x, double beta, double threshold = 20, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(
      softplus({x, at}, beta, threshold), at);
}
template <detail::Expression E>
auto softshrink(const E& x, double lambd = 0.5, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(softshrink({x, at}, lambd),
                                                                     at);
}
template <detail::Expression E>
auto hardshrink(const E& x, double lambd = 0.5, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(hardshrink({x, at}, lambd),
                                                                     at);
}
template <detail::Expression E>
auto threshold(const E& x, double limit, double value, Where at = Where::current()) {
  return detail::recorded_at_once<E::type.dtype, E::dims>(threshold({x, at}, limit, value), at);
}
template <detail::Expression E>
auto logit(const E& x, std::optional<double> eps = {}, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(logit({x, at}, eps), at);
}

namespace detail {

inline Tensor plain_softplus(Operand x) { return softplus(x, 1, 20); }
inline Tensor gelu_exact(Operand x) { return gelu(x, Gelu::exact); }

}  // namespace detail

auto softplus(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<detail::plain_softplus, detail::Takes::floating>>(
      at, std::move(x));
}
auto gelu(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<detail::gelu_exact, detail::Takes::floating>>(at,
                                                                                   std::move(x));
}
template <detail::Expression E>
auto gelu(const E& x, Gelu form, Where at = Where::current()) {
  return detail::recorded_at_once<detail::floating_type<E>, E::dims>(gelu({x, at}, form), at);
}

}  // namespace sinter::inline SINTER_ABI
