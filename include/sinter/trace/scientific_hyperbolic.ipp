#pragma once
// The hyperbolic functions and their inverses.

#include <array>    // std::array
#include <cmath>    // HUGE_VAL
#include <numbers>  // std::numbers::ln2
#include <span>     // std::span

#include <sinter/trace/scientific.ipp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// exp(|x|) - 1, as r, and r / (1 + r). Where exp could be infinite, it is of |x| less a number
// whose exp has few digits, and the two are 1.
struct Rise {
  explicit Rise(const Term& x)
      : narrow(x.type().dtype == f32),
        sign(choose(x < 0, -1, number_like(x, 1))),
        size(x * sign),
        far(size > (narrow ? 88.0 : 709.0)),
        whole(expm1(choose(far, size - (narrow ? 0x1.5d58ap+5 : 0x1.37ea8e219ececp+7), size))),
        rise(choose(far, 1, whole)),
        fall(rise / (1 + rise)) {}

  Term or_far(const Term& near) const {
    return choose(far, whole * (narrow ? 0x1.00001ap+62 : 0x1.0000000000061p+224), near);
  }

  bool narrow;
  Term sign, size, far, whole, rise, fall;
};

}  // namespace detail

// Below 1 the series, which keeps digits that r + r / (1 + r) loses.
SINTER_INLINE Tensor sinh(Operand x) {
  const detail::PublicCall call("sinh", x.where);
  return detail::compute(x, [](const detail::Term& wide) {
    constexpr std::array series{2.8114572543455206e-15, 7.647163731819816e-13,
                                1.6059043836821613e-10, 2.505210838544172e-08,
                                2.7557319223985893e-06, 0.0001984126984126984,
                                0.008333333333333333,   0.16666666666666666};
    const detail::Rise of(wide);
    const auto near = of.size < 1, inside = choose(near, wide, 0), square = inside * inside;
    const auto terms = std::span(series).subspan(wide.type().dtype == f32 ? 3 : 0);
    const auto low = inside + inside * square * detail::polynomial(square, terms);
    return choose(near, low, of.sign * of.or_far((of.rise + of.fall) * 0.5));
  });
}

// 1 + r^2 / (1 + r) / 2; written as a difference it has more digits, but no gradient, near 0.
SINTER_INLINE Tensor cosh(Operand x) {
  const detail::PublicCall call("cosh", x.where);
  return detail::compute(x, [](const detail::Term& wide) {
    const detail::Rise of(wide);
    const auto high = of.rise * 0.5 + (1 - of.fall * 0.5);
    return of.or_far(choose(of.rise < 1, 1 + of.rise * of.fall * 0.5, high));
  });
}

// log1p of |x| + (sqrt(1 + x^2) - 1); if x is so large that its square could be infinite, of |x|,
// and the rest is log(2). Each branch gets arguments for which its gradient is finite.
SINTER_INLINE Tensor asinh(Operand x) {
  const detail::PublicCall call("asinh", x.where);
  return detail::compute(x, [](const auto& wide) {
    const auto sign = choose(wide < 0, -1, number_like(wide, 1)), size = wide * sign;
    const auto far = size > (wide.type().dtype == f32 ? 0x1p+60 : 0x1p+500);
    const auto near = choose(far, 1, size), root = sqrt(1 + near * near), part = near / (1 + root);
    const auto sum = near * (1 + part), lost = (sum - near) - near * part;
    const auto more = choose(far, -std::numbers::ln2, detail::fixed(lost * (root - near)));
    return sign * (log1p(choose(far, size, sum)) - more);
  });
}

// Twice the asinh of the root of half of x - 1.
SINTER_INLINE Tensor acosh(Operand x) {
  const detail::PublicCall call("acosh", x.where);
  return detail::compute(x, [](const auto& wide) {
    const auto infinite = wide == HUGE_VAL, half = choose(infinite, 1, wide - 1) * 0.5;
    const auto low = sqrt(half), root = sqrt(1 + half), high = half / (1 + root);
    const auto sum = low + high, lost = (sum - low) - high;
    const auto near = 2 * (log1p(sum) - detail::fixed(lost * (root - low)));
    return choose(infinite, wide, near);
  });
}

SINTER_INLINE Tensor atanh(Operand x) {
  const detail::PublicCall call("atanh", x.where);
  return detail::compute(x, [](const auto& wide) { return (log1p(wide) - log1p(-wide)) * 0.5; });
}

}  // namespace sinter::inline SINTER_ABI
