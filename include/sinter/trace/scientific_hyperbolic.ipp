#pragma once
// The hyperbolic functions and their inverses.

#include <array>    // std::array
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
        sign(choose(x < 0, -1, 1)),
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
  return detail::compute(x, [](const detail::Term& wide) {
    const detail::Rise of(wide);
    const auto high = of.rise * 0.5 + (1 - of.fall * 0.5);
    return of.or_far(choose(of.rise < 1, 1 + of.rise * of.fall * 0.5, high));
  });
}

namespace detail {

// From here on 1 is nothing beside the square, which may be infinite.
SINTER_INLINE double far_out(const Term& x) { return x.type().dtype == f32 ? 0x1p+12 : 0x1p+28; }

// log(2 * x) where x is `far`.
SINTER_INLINE Term log_of_double(const Term& far, const Term& x) {
  return log(choose(far, x, 1)) + std::numbers::ln2;
}

}  // namespace detail

// Of x without its sign; each branch gets arguments for which its gradient is finite.
SINTER_INLINE Tensor asinh(Operand x) {
  return detail::compute(x, [](const auto& wide) {
    const auto sign = choose(wide < 0, -1, 1), size = wide * sign;
    const auto far = size > detail::far_out(wide), near = choose(far, 1, size);
    const auto root = sqrt(1 + near * near), part = near / (1 + root);
    const auto sum = near * (1 + part), lost = (sum - near) - near * part;
    const auto value = log1p(sum) - detail::fixed(lost * (root - near));
    return sign * choose(far, detail::log_of_double(far, size), value);
  });
}

// Twice the asinh of the root of half of x - 1.
SINTER_INLINE Tensor acosh(Operand x) {
  return detail::compute(x, [](const auto& wide) {
    const auto far = wide > detail::far_out(wide), half = choose(far, 1, wide - 1) * 0.5;
    const auto low = sqrt(half), root = sqrt(1 + half), high = half / (1 + root);
    const auto sum = low + high, lost = (sum - low) - high;
    const auto near = 2 * (log1p(sum) - detail::fixed(lost * (root - low)));
    return choose(far, detail::log_of_double(far, wide), near);
  });
}

SINTER_INLINE Tensor atanh(Operand x) {
  return detail::compute(x, [](const auto& wide) { return (log1p(wide) - log1p(-wide)) * 0.5; });
}

}  // namespace sinter::inline SINTER_ABI
