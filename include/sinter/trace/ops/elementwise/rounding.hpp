#pragma once
// Rounding and remainders. Integers are returned unchanged.

#include <utility>  // std::move

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/typed/elementwise.hpp>

namespace sinter::inline SINTER_ABI {

/// Round down (floor), up (ceil), or towards 0 (trunc). Gradient 0.
Tensor floor(Operand x);
Tensor ceil(Operand x);
Tensor trunc(Operand x);
/// Rounds to the nearest integer, ties to even; or to `decimals` decimal places. Gradient 0.
///
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.round.html
Tensor round(Operand x, int decimals = 0);
/// x - trunc(x).
Tensor frac(Operand x);
/// lhs - rhs * trunc(lhs / rhs), which has the sign of lhs; remainder has that of rhs.
///
/// Gradient lhs: g, rhs: -g * trunc(lhs / rhs)
Tensor fmod(Operand lhs, Operand rhs);

// The typed forms. Those without parameters are parts of expressions.

auto floor(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<floor, detail::Takes::any>>(at, std::move(x));
}
auto ceil(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<ceil, detail::Takes::any>>(at, std::move(x));
}
auto trunc(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<trunc, detail::Takes::any>>(at, std::move(x));
}
auto frac(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<frac, detail::Takes::numbers>>(at, std::move(x));
}
template <detail::Expression E>
auto round(const E& x, int decimals = 0, Where at = Where::current()) {
  return detail::recorded_at_once<E::type.dtype, E::dims>(round({x, at}, decimals), at);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto fmod(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::Binary<fmod, detail::Takes::numbers>>(at, x, y);
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/elementwise/rounding.ipp>
#endif
