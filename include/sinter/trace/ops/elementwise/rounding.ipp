#pragma once

#include <cmath>    // std::pow
#include <cstdlib>  // std::abs

#include <sinter/trace/ops/elementwise/rounding.hpp>
#include <sinter/trace/ops/elementwise/term.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// Applies `formula` to floating operands; integers are returned unchanged.
template <class Formula>
Tensor compute_whole(const Operand& x, const Formula& formula) {
  return is_floating(x.type().dtype) ? formula::compute(x, formula) : x.tensor();
}

}  // namespace detail

SINTER_INLINE Tensor floor(Operand x) {
  const detail::PublicCall call("floor", x.where);
  return detail::is_floating(x.type().dtype) ? detail::elementwise(detail::Op::floor, x)
                                             : x.tensor();
}

SINTER_INLINE Tensor ceil(Operand x) {
  const detail::PublicCall call("ceil", x.where);
  return detail::compute_whole(x, [](const auto& wide) { return -floor(-wide); });
}

SINTER_INLINE Tensor trunc(Operand x) {
  const detail::PublicCall call("trunc", x.where);
  return detail::compute_whole(
      x, [](const auto& wide) { return choose(wide < 0, -floor(-wide), floor(wide)); });
}

// A result of 0 has the sign of x.
SINTER_INLINE Tensor round(Operand x, int decimals) {
  const detail::PublicCall call("round", x.where);
  const double power = std::pow(10.0, std::abs(decimals));
  const double up = decimals >= 0 ? power : 1, down = decimals >= 0 ? 1 : power;
  return detail::compute_whole(x, [&](const auto& wide) {
    const auto scaled = decimals == 0 ? wide : decimals > 0 ? wide * up : wide / down;
    const auto below = floor(scaled), rest = scaled - below;
    const auto is_odd = floor(below * 0.5) * 2 != below;
    const auto goes_up = (rest > 0.5) | ((rest == 0.5) & is_odd);
    const auto whole = choose(goes_up, below + 1, below);
    const auto rounded = choose(whole == 0, scaled * 0, whole);
    return decimals == 0 ? rounded : decimals > 0 ? rounded / up : rounded * down;
  });
}

SINTER_INLINE Tensor frac(Operand x) {
  const detail::PublicCall call("frac", x.where);
  return sub(x, {trunc(x), x.where});
}

namespace detail {

// remainder() has the sign of rhs: for integers, subtract rhs where that differs from the sign of
// lhs.
SINTER_INLINE Tensor fmod_of_integers(const formula::Term& lhs, const formula::Term& rhs) {
  const Where at = lhs.where;
  const formula::Term rest{remainder(lhs, rhs), at};
  return choose((rest != 0) & ((lhs < 0) != (rhs < 0)), rest - rhs, rest).tensor();
}

}  // namespace detail

SINTER_INLINE Tensor fmod(Operand lhs, Operand rhs) {
  const detail::PublicCall call("fmod", lhs.where);
  if (!detail::is_floating(detail::promote(lhs.type(), rhs.type()).dtype)) {
    return detail::fmod_of_integers(detail::formula::Term(lhs), detail::formula::Term(rhs));
  }
  return detail::formula::compute(lhs, rhs, [](const auto& x, const auto& y) {
    const auto sign = choose(x < 0, -1, 1);
    const detail::formula::Term rest{remainder(x * sign, abs(y)), x.where};
    return rest * sign;
  });
}

}  // namespace sinter::inline SINTER_ABI
