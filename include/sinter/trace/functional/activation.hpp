#pragma once
// Activation functions. Names and defaults are those of torch.

#include <cstdint>   // std::uint8_t
#include <optional>  // std::optional
#include <utility>   // std::move

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/typed/elementwise.hpp>

namespace sinter::inline SINTER_ABI {

/// max(x, 0). Gradient g where x > 0.
Tensor relu(Operand x);
/// x where x > 0, else slope * x.
Tensor leaky_relu(Operand x, double negative_slope = 0.01);
/// leaky_relu with a learned slope: one, or one for each channel (axis 1 of `x`).
///
/// Throws ShapeError unless `weight` has one element, or as many as `x` has channels
Tensor prelu(Operand x, Operand weight);
/// min(max(x, 0), 6)
Tensor relu6(Operand x);
/// x clamped to [min_val, max_val]. Gradient g where min < x < max.
///
/// Throws ValueError if min_val > max_val
Tensor hardtanh(Operand x, double min_val = -1, double max_val = 1);
/// x where x > 0, else alpha * (exp(x) - 1).
Tensor elu(Operand x, double alpha = 1);
/// x where x > 0, else alpha * (exp(x / alpha) - 1).
Tensor celu(Operand x, double alpha = 1);
/// Scaled elu whose constants preserve mean 0 and variance 1.
///
/// Source https://arxiv.org/abs/1706.02515
Tensor selu(Operand x);

/// 1 / (1 + exp(-x)), without overflow.
Tensor sigmoid(Operand x);
/// log(sigmoid(x)), without overflow.
Tensor logsigmoid(Operand x);
/// log(x / (1 - x)), with x clamped to [eps, 1 - eps] if eps is given; if eps > 0.5, as torch does:
/// eps where x < eps, else 1 - eps where x > 1 - eps.
Tensor logit(Operand x, std::optional<double> eps = {});
/// min(max(x + 3, 0), 6) / 6
Tensor hardsigmoid(Operand x);
/// x * sigmoid(x).
Tensor silu(Operand x);
/// x * hardsigmoid(x).
Tensor hardswish(Operand x);
/// log(1 + exp(beta * x)) / beta; x where beta * x is above the threshold.
Tensor softplus(Operand x, double beta = 1, double threshold = 20);
/// x * tanh(softplus(x)).
Tensor mish(Operand x);
/// x / (1 + |x|).
Tensor softsign(Operand x);
/// x - tanh(x).
Tensor tanhshrink(Operand x);
/// x moved towards 0 by lambd; 0 where |x| <= lambd.
Tensor softshrink(Operand x, double lambd = 0.5);
/// 0 where |x| <= lambd, else x.
Tensor hardshrink(Operand x, double lambd = 0.5);
/// x where x > threshold, else value.
Tensor threshold(Operand x, double threshold, double value);
/// The first half along `axis`, times the sigmoid of the second.
///
/// Throws ShapeError unless the extent is even
Tensor glu(Operand x, int axis = -1);

enum class Gelu : std::uint8_t { exact, tanh };
/// x * P(X <= x) for a standard normal X; `tanh` selects the tanh approximation.
///
/// Source https://arxiv.org/abs/1606.08415
Tensor gelu(Operand x, Gelu form = Gelu::exact);

// The typed forms. Those without parameters are parts of expressions.

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

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/activation.ipp>
#endif
