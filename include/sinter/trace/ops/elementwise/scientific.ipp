#pragma once

#include <array>     // std::array
#include <cmath>     // HUGE_VAL
#include <numbers>   // std::numbers::ln2

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/error.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/ops/elementwise/classify.hpp>
#include <sinter/trace/ops/elementwise/scientific.hpp>
#include <sinter/trace/ops/elementwise/term.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

using formula::apply;
using formula::compute;
using formula::Term;

// Detaches a value: no gradient flows through it.
SINTER_INLINE Term fixed(const Term& x) { return {detach(x), x.where}; }

// A constant integer power, by repeated squaring.
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
  Optional<Term> result;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = result ? *result * base : base;
    if (exponent > 1) base = base * base;
  }
  return (result ? *result : base * 0 + 1).tensor();
}

// The same for integer exponents in a tensor. Negative exponents give 0 unless the base is 1 or -1.
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
  const Constant* const number = exponent.value.get_if<Constant>();
  if (number != nullptr) return power_of_number({cast(base, dtype), at}, number->integer());
  return power_of_integers({cast(base, dtype), at}, {cast(exponent, dtype), at}, dtype);
}

// 1 / log(base) as a sum of two positive numbers, and log(base) as a sum whose first part has exact
// integer multiples.
struct Base {
  double factor, missing, first, rest;
};

// log(x) / log(base), rounded to the nearest integer where log(x) is within rounding error of the
// logarithm of a power.
SINTER_INLINE Tensor logarithm(const Operand& x, Base narrow, Base wide) {
  return compute(x, [&](const Term& number) {
    const bool is_narrow = number.type().dtype == f32;
    const Base base = is_narrow ? narrow : wide;
    const Term natural = log(number), value = natural * base.factor + natural * base.missing;
    const Term nearest = floor(value + 0.5);
    const Term gap = (natural - nearest * base.first) - nearest * base.rest;
    const Term close = abs(gap) <= abs(natural) * (is_narrow ? 0x1.fp-25 : 0x1.fp-54);
    return value - fixed(choose(close, value - nearest, 0));
  });
}

}  // namespace detail

SINTER_INLINE Tensor pow(Operand base, Operand exponent) {
  const detail::PublicCall call("pow", base.where);
  const detail::OperandType type = detail::promote(base.type(), exponent.type());
  if (detail::is_floating(type.dtype)) return detail::elementwise(detail::Op::pow, base, exponent);
  return detail::integer_power(base, exponent, type.dtype == boolean ? i64 : type.dtype);
}

SINTER_INLINE Tensor square(Operand x) {
  const detail::PublicCall call("square", x.where);
  return mul(x, x);
}
SINTER_INLINE Tensor reciprocal(Operand x) {
  const detail::PublicCall call("reciprocal", x.where);
  return div({1.0f, x.where}, x);
}
SINTER_INLINE Tensor rsqrt(Operand x) {
  const detail::PublicCall call("rsqrt", x.where);
  return detail::compute(x, [](const auto& wide) { return 1 / sqrt(wide); });
}

// The function of the C library is exact for integers, and exp(x * log(2)) is not.
SINTER_INLINE Tensor exp2(Operand x) {
  const detail::PublicCall call("exp2", x.where);
  const DType dtype = detail::formula::floating_result(x.type());
  return detail::elementwise(detail::Op::pow, {2, x.where}, {detail::cast(x, dtype), x.where});
}
SINTER_INLINE Tensor log2(Operand x) {
  const detail::PublicCall call("log2", x.where);
  return detail::logarithm(
      x, {0x1.715476p+0, 0x1.4ae0cp-26, 0x1.62e4p-1, 0x1.7f7d1cp-20},
      {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, 0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45});
}
SINTER_INLINE Tensor log10(Operand x) {
  const detail::PublicCall call("log10", x.where);
  return detail::logarithm(
      x, {0x1.bcb7bp-2, 0x1.526e5p-26, 0x1.26bcp+1, -0x1.c88956p-16},
      {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.26bb1bbb558p+1, -0x1.753e915a929d4p-42});
}

// Avoids the NaN of infinity - infinity.
SINTER_INLINE Tensor logaddexp(Operand lhs, Operand rhs) {
  const detail::PublicCall call("logaddexp", lhs.where);
  detail::require_broadcast("logaddexp", lhs, rhs);
  return detail::compute(lhs, rhs, [](const auto& x, const auto& y) {
    const auto both = (abs(x) == HUGE_VAL) & (x == y);
    const auto larger = choose(x < y, y, x), smaller = choose(x < y, x, y);
    const auto gap = choose(both, 0, smaller - larger);
    return choose(both, x, larger + log1p(exp(gap)));
  });
}

namespace detail {

// Horner's scheme, from the highest power down.
SINTER_INLINE Term polynomial(const Term& x, detail::Span<const double> terms) {
  Term sum = x * terms[0] + terms[1];
  for (const double term : terms.subspan(2)) sum = sum * x + term;
  return sum;
}

// pi / 2 in the dtype of x, and its rounding error.
SINTER_INLINE double right_angle(const Term& x) {
  return x.type().dtype == f32 ? 0x1.921fb6p+0 : 0x1.921fb54442d18p+0;
}
SINTER_INLINE double right_angle_lacks(const Term& x) {
  return x.type().dtype == f32 ? -0x1.777a5cp-25 : 0x1.1a62633145c07p-54;
}

// asin(x) = x + x * z * p(z) for z = x^2 up to 1 / 4.
inline constexpr std::array arc_f32{0x1.34ba68p-5, 0x1.d532ccp-7, 0x1.04d28cp-5,
                                    0x1.6ca756p-5, 0x1.3338acp-4, 0x1.55554cp-3};
inline constexpr std::array arc_f64{
    0x1.056c38f086622p-5, -0x1.09cf7c6e20e4cp-6, 0x1.3ff233578731ap-6, 0x1.abd32bf279177p-8,
    0x1.8ec284761e481p-7, 0x1.c6fdd559e7a51p-7,  0x1.1c6be09154896p-6, 0x1.6e89f454557b6p-6,
    0x1.f1c72c38096a4p-6, 0x1.6db6db427dabp-5,   0x1.333333336e7acp-4, 0x1.555555555539p-3};

// asin(x) for |x| up to 1 / 2, else pi / 2 - 2 * asin(sqrt((1 - |x|) / 2)), as a sum of two terms.
// Each branch gets arguments for which its gradient is finite.
struct Arc {
  explicit Arc(const Term& x)
      : low(abs(x) < 0.5),
        sine(choose(low, x, 0)),
        left(0.5 - 0.5 * choose(low, 0.75, abs(x))),
        chord(choose(low, sine, 2 * sqrt(left))),
        square(choose(low, sine * sine, left)),
        rest(chord * square *
             (x.type().dtype == f32 ? polynomial(square, arc_f32) : polynomial(square, arc_f64))) {}

  // Subtracts the angle from pi / 2 or pi.
  Term taken_from(int right_angles) const {
    const double whole = right_angles * right_angle(chord);
    const Term rough = whole - chord, lost = fixed((whole - rough) - chord);
    return rough + (lost - (rest - right_angles * right_angle_lacks(chord)));
  }

  Term low, sine, left, chord, square, rest;
};

}  // namespace detail

SINTER_INLINE Tensor asin(Operand x) {
  const detail::PublicCall call("asin", x.where);
  return detail::compute(x, [](const detail::Term& sine) {
    const detail::Arc of(sine);
    const detail::Term flat = of.taken_from(1);
    return choose(of.low, of.chord + of.rest, choose(sine < 0, -flat, flat));
  });
}

SINTER_INLINE Tensor acos(Operand x) {
  const detail::PublicCall call("acos", x.where);
  return detail::compute(x, [](const detail::Term& cosine) {
    const detail::Arc of(cosine);
    const detail::Term flat = choose(cosine < 0, of.taken_from(2), of.chord + of.rest);
    return choose(of.low, of.taken_from(1), flat);
  });
}

// The angle from the nearer axis, added to that axis with the sign of y.
SINTER_INLINE Tensor atan2(Operand y, Operand x) {
  const detail::PublicCall call("atan2", y.where);
  detail::require_broadcast("atan2", y, x);
  return detail::compute(y, x, [](const auto& rise, const auto& run) {
    const Where at = rise.where;
    const detail::Term up{signbit(rise), at}, back{signbit(run), at};
    const auto steep = abs(rise) > abs(run);
    const auto small = choose(steep, run, rise), large = choose(steep, rise, run);
    const auto diagonal = choose((rise > 0) == (run > 0), 1, number_like(run, -1));
    const auto quotient = small / choose(large == 0, 1, large);
    const auto infinite = (abs(rise) == HUGE_VAL) & (abs(run) == HUGE_VAL);
    const auto angle = atan(choose(infinite, diagonal, quotient));
    const auto turns = choose(steep, 1, choose(back, 2, number_like(run, 0)));
    const auto count = choose(up, -turns, turns), start = count * detail::right_angle(run);
    const auto from_start = choose(steep, -angle, angle);
    // Subtracted from the rounding error of the angle of the axis; keeps -0.
    const auto both = start - (count * -detail::right_angle_lacks(run) - from_start);
    return choose((rise == 0) & (run == 0), start, both);
  });
}

SINTER_INLINE Tensor hypot(Operand x, Operand y) {
  const detail::PublicCall call("hypot", x.where);
  detail::require_broadcast("hypot", x, y);
  return detail::compute(x, y, [](const auto& a, const auto& b) {
    const auto infinite = (abs(a) == HUGE_VAL) | (abs(b) == HUGE_VAL);
    const auto first = choose(infinite, 1, a), second = choose(infinite, 1, b);
    const auto largest = choose(abs(first) < abs(second), abs(second), abs(first));
    const bool narrow = a.type().dtype == f32;
    const auto large = largest > (narrow ? 0x1p+60 : 0x1p+500);
    const auto small = largest < (narrow ? 0x1p-40 : 0x1p-400);
    const auto scaled = [&](double down, double none, double up) {
      return choose(large, down, choose(small, up, number_like(a, none)));
    };
    const auto scale = narrow ? scaled(0x1p-70, 1, 0x1p+90) : scaled(0x1p-600, 1, 0x1p+700);
    const auto back = narrow ? scaled(0x1p+70, 1, 0x1p-90) : scaled(0x1p+600, 1, 0x1p-700);
    const auto p = first * scale, q = second * scale;
    return choose(infinite, HUGE_VAL, sqrt(p * p + q * q) * back);
  });
}

// Hyperbolic functions and their inverses.

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

// Below 1 a series, which is more accurate than r + r / (1 + r).
SINTER_INLINE Tensor sinh(Operand x) {
  const detail::PublicCall call("sinh", x.where);
  return detail::compute(x, [](const detail::Term& wide) {
    constexpr std::array series{2.8114572543455206e-15, 7.647163731819816e-13,
                                1.6059043836821613e-10, 2.505210838544172e-08,
                                2.7557319223985893e-06, 0.0001984126984126984,
                                0.008333333333333333,   0.16666666666666666};
    const detail::Rise of(wide);
    const auto near = of.size < 1, inside = choose(near, wide, 0), square = inside * inside;
    const auto terms = detail::Span(series).subspan(wide.type().dtype == f32 ? 3 : 0);
    const auto low = inside + inside * square * detail::polynomial(square, terms);
    return choose(near, low, of.sign * of.or_far((of.rise + of.fall) * 0.5));
  });
}

// 1 + r^2 / (1 + r) / 2; written as a difference it would be more accurate near 0, but have no
// gradient there.
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

// 2 * asinh(sqrt((x - 1) / 2)).
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
