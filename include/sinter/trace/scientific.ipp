#pragma once

#include <cmath>     // HUGE_VAL
#include <numbers>   // std::numbers::ln2
#include <optional>  // std::optional

#include <sinter/base/error.hpp>
#include <sinter/trace/classify.hpp>
#include <sinter/trace/scientific.hpp>
#include <sinter/trace/term.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

using formula::apply;
using formula::compute;
using formula::Term;

// x * x * ... for an exponent of the program, by squaring.
SINTER_INLINE Tensor power_of_number(Term base, std::int64_t exponent) {
  if (exponent < 0) {
    throw ValueError({.op = "pow",
                      .what = "an integer to the power of a negative integer",
                      .facts = {{"base", to_string(base)}, {"exponent", text(exponent)}},
                      .rule = "the result of integers is an integer",
                      .fix = "cast first: pow(x.to(f32), -1)",
                      .where = base.where,
                      .see = "dtypes"});
  }
  std::optional<Term> result;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = result ? *result * base : base;
    if (exponent > 1) base = base * base;
  }
  return (result ? *result : base * 0 + 1).tensor();
}

// The same for exponents in a tensor. A negative one leaves nothing of an integer but 1 and -1.
SINTER_INLINE Tensor power_of_integers(Term base, Term exponent, DType dtype) {
  const Where at = base.where;
  const Term one = base * 0 + 1, odd = exponent & Term(1, at);
  const Term sign = choose(odd == 0, one, base);
  const Term shrunk = choose((base == 1) | (base == -1), sign, Term(0, at));
  Term result = one, rest = exponent, power = base;
  for (std::size_t bit = 0; bit < 8 * info(dtype).size - (dtype == u8 ? 0 : 1); ++bit) {
    result = choose((rest & Term(1, at)) == 0, result, result * power);
    power = power * power;
    rest = {shift_right(rest, {1, at}), at};
  }
  return dtype == u8 ? result.tensor() : choose(exponent < 0, shrunk, result).tensor();
}

SINTER_INLINE Tensor integer_power(const Operand& base, const Operand& exponent, DType dtype) {
  const Where at = base.where;
  const Constant* const number = std::get_if<Constant>(&exponent.value);
  if (number != nullptr) return power_of_number({cast(base, dtype), at}, number->integer());
  return power_of_integers({cast(base, dtype), at}, {cast(exponent, dtype), at}, dtype);
}

// log(x) / log(base). Where rounding has moved it away from the integer that it is next to, the
// distance is taken back; floor lets no gradient through, so that of the logarithm stays.
SINTER_INLINE Tensor logarithm(const Operand& x, double factor) {
  return compute(x, [&](const Term& wide) {
    const bool narrow = wide.type().dtype == f32;
    const double precision = narrow ? 0x1p-22 : 0x1p-51, unit = narrow ? 0x1p+30 : 0x1p+60;
    const Term value = log(wide) * factor, nearest = floor(value + 0.5);
    const Term distance = value - nearest, still = floor(distance * unit) * (1 / unit);
    return value - choose(abs(distance) <= abs(nearest) * precision, still, 0);
  });
}

}  // namespace detail

SINTER_INLINE Tensor pow(Operand base, Operand exponent) {
  const OperandType type = promote(base.type(), exponent.type());
  if (is_floating(type.dtype)) return elementwise(Op::pow, base, exponent);
  return detail::integer_power(base, exponent, type.dtype == boolean ? i64 : type.dtype);
}

SINTER_INLINE Tensor square(Operand x) { return mul(x, x); }
SINTER_INLINE Tensor reciprocal(Operand x) { return div({1.0f, x.where}, x); }
SINTER_INLINE Tensor rsqrt(Operand x) {
  return detail::compute(x, [](const auto& wide) { return 1 / sqrt(wide); });
}

// The function of the C library is exact for integers, and exp(x * log(2)) is not.
SINTER_INLINE Tensor exp2(Operand x) {
  const DType dtype = detail::formula::floating_result(x.type());
  return elementwise(Op::pow, {2, x.where}, {cast(x, dtype), x.where});
}
SINTER_INLINE Tensor log2(Operand x) { return detail::logarithm(x, std::numbers::log2e); }
SINTER_INLINE Tensor log10(Operand x) { return detail::logarithm(x, std::numbers::log10e); }

// The difference of equal infinities is no number, and none is needed.
SINTER_INLINE Tensor logaddexp(Operand lhs, Operand rhs) {
  detail::require_broadcast("logaddexp", lhs, rhs);
  return detail::compute(lhs, rhs, [](const auto& x, const auto& y) {
    const auto both = (abs(x) == HUGE_VAL) & (x == y);
    const auto larger = choose(x < y, y, x), smaller = choose(x < y, x, y);
    const auto gap = choose(both, 0, smaller - larger);
    return choose(both, x, larger + log1p(exp(gap)));
  });
}

// The errors of a sine, a cosine and a quotient add up, so f32 is computed in f64.
SINTER_INLINE Tensor tan(Operand x) {
  return detail::compute(x, [](const detail::Term& wide) {
    const detail::Term exact{cast(wide, f64), wide.where};
    return detail::Term{cast(sin(exact) / cos(exact), wide.type().dtype), wide.where};
  });
}

// 1 - x and 1 + x are taken apart: rounding 1 - x^2 would lose the digits near 1.
SINTER_INLINE Tensor asin(Operand x) {
  return detail::compute(
      x, [](const auto& sine) { return 2 * atan(sine / (1 + sqrt(1 - sine) * sqrt(1 + sine))); });
}

// From the nearer of the axes: of the first the half angle, of the second that of asin. Each gets
// arguments for which its gradient is finite.
SINTER_INLINE Tensor acos(Operand x) {
  return detail::compute(x, [](const auto& cosine) {
    const auto size = abs(cosine), steep = size < 0.5;
    const auto sine = choose(steep, cosine, 0), near = choose(steep, 0.75, size);
    const auto half = sine / (1 + sqrt(1 - sine) * sqrt(1 + sine));
    const auto angle = 2 * atan(choose(steep, half, sqrt(1 - near) / sqrt(1 + near)));
    const auto flat = choose(cosine < 0, std::numbers::pi - angle, angle);
    return choose(steep, std::numbers::pi / 2 - angle, flat);
  });
}

// From the nearer of the axes, to which it is added with the sign of y.
SINTER_INLINE Tensor atan2(Operand y, Operand x) {
  detail::require_broadcast("atan2", y, x);
  return detail::compute(y, x, [](const auto& rise, const auto& run) {
    const Where at = rise.where;
    const detail::Term up{signbit(rise), at}, back{signbit(run), at};
    const auto steep = abs(rise) > abs(run);
    const auto small = choose(steep, run, rise), large = choose(steep, rise, run);
    const auto diagonal = choose((rise > 0) == (run > 0), 1, -1);
    const auto quotient = small / choose(large == 0, 1, large);
    const auto infinite = (abs(rise) == HUGE_VAL) & (abs(run) == HUGE_VAL);
    const auto turned = atan(choose(infinite, diagonal, quotient));
    const auto axis = choose(back, std::numbers::pi, number_like(run, 0));
    const auto nearest = choose(steep, std::numbers::pi / 2, axis);
    const auto start = choose(up, -nearest, nearest);
    return choose((rise == 0) & (run == 0), start, start + choose(steep, -turned, turned));
  });
}

SINTER_INLINE Tensor hypot(Operand x, Operand y) {
  detail::require_broadcast("hypot", x, y);
  return detail::compute(x, y, [](const auto& a, const auto& b) {
    const auto infinite = (abs(a) == HUGE_VAL) | (abs(b) == HUGE_VAL);
    const auto first = choose(infinite, 1, a), second = choose(infinite, 1, b);
    const auto largest = choose(abs(first) < abs(second), abs(second), abs(first));
    const auto scale = choose(largest == 0, 1, largest);
    const auto p = first / scale, q = second / scale;
    return choose(infinite, HUGE_VAL, scale * sqrt(p * p + q * q));
  });
}

namespace detail {

// exp(|x|) - 1, as r, and r / (1 + r). Where exp could be infinite, it is of half of |x|, and the
// two are 1.
struct Rise {
  explicit Rise(const Term& x)
      : sign(choose(x < 0, -1, 1)),
        size(x * sign),
        far(size > (x.type().dtype == f32 ? 88.0 : 709.0)),
        whole(expm1(choose(far, size * 0.5, size))),
        rise(choose(far, 1, whole)),
        fall(rise / (1 + rise)) {}

  Term or_far(const Term& near) const { return choose(far, whole * 0.5 * whole, near); }

  Term sign, size, far, whole, rise, fall;
};

}  // namespace detail

SINTER_INLINE Tensor sinh(Operand x) {
  return detail::compute(x, [](const detail::Term& wide) {
    const detail::Rise of(wide);
    return of.sign * of.or_far((of.rise + of.fall) * 0.5);
  });
}

// 1 + r^2 / (1 + r) / 2; written as a difference it has more digits, but no gradient, near 0.
SINTER_INLINE Tensor cosh(Operand x) {
  return detail::compute(x, [](const detail::Term& wide) {
    const detail::Rise of(wide);
    const auto above = choose(of.rise < 1, of.rise * of.fall, of.rise - of.fall);
    return of.or_far(1 + above * 0.5);
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
    const auto sum = near * (1 + near / (1 + sqrt(1 + near * near)));
    return sign * choose(far, detail::log_of_double(far, size), log1p(sum));
  });
}

SINTER_INLINE Tensor acosh(Operand x) {
  return detail::compute(x, [](const auto& wide) {
    const auto far = wide > detail::far_out(wide), above = choose(far, 1, wide - 1);
    const auto near = log1p(above + sqrt(above) * sqrt(above + 2));
    return choose(far, detail::log_of_double(far, wide), near);
  });
}

SINTER_INLINE Tensor atanh(Operand x) {
  return detail::compute(x, [](const auto& wide) { return (log1p(wide) - log1p(-wide)) * 0.5; });
}

}  // namespace sinter::inline SINTER_ABI
