#pragma once
// Writes types, literals and elementwise operations in C++ and CUDA.

#include <array>        // std::array
#include <cmath>        // std::isinf, std::isnan
#include <cstdio>       // std::snprintf
#include <limits>       // std::numeric_limits
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/constant.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The type of a value: a scalar, or a vector of `lanes` numbers. 16-bit floating point is computed
/// as f32. A vector of booleans is a vector of integers, 0 or -1, as wide as `mask`: i32 or i64.
struct ValueType {
  DType dtype{};
  int lanes = 1;
  DType mask = i32;
};

/// "f32", "f32x16": the suffix of helper names.
inline std::string suffix(const ValueType& type) {
  const DType dtype = type.lanes > 1 && type.dtype == boolean ? type.mask : computed_in(type.dtype);
  return type.lanes == 1 ? to_string(dtype) : text(dtype, "x", type.lanes);
}

/// "float", "f32x16": the name in a declaration.
inline std::string type_name(const ValueType& type) {
  if (type.lanes > 1) return suffix(type);
  return std::string(info(computed_in(type.dtype)).c_name);
}

namespace detail {

/// A, B, C are the operands, T is the helper suffix of their type. True is 1 in a scalar and -1 in
/// a vector; the forms for booleans hold for both.
///
/// An operation without a row is a call of the helper of its name: tan_T(A), remainder_T(A, B).
struct Form {
  Op op;
  std::string_view floating, integer, boolean;
};

inline constexpr std::array forms{
    Form{Op::neg, "-A", "-A", ""},
    Form{Op::bitwise_not, "", "~A", "A == 0"},
    Form{Op::add, "A + B", "A + B", "A | B"},
    Form{Op::sub, "A - B", "A - B", ""},
    Form{Op::mul, "A * B", "A * B", "A & B"},
    Form{Op::div, "A / B", "", ""},
    Form{Op::minimum, "minimum_T(A, B)", "minimum_T(A, B)", "A & B"},
    Form{Op::maximum, "maximum_T(A, B)", "maximum_T(A, B)", "A | B"},
    Form{Op::bitwise_and, "", "A & B", "A & B"},
    Form{Op::bitwise_or, "", "A | B", "A | B"},
    Form{Op::bitwise_xor, "", "A ^ B", "A ^ B"},
    Form{Op::shift_left, "", "shift_left_T(A, B)", "A & (B == 0)"},
    Form{Op::shift_right, "", "shift_right_T(A, B)", "A & (B == 0)"},
    Form{Op::eq, "A == B", "A == B", "A == B"},
    Form{Op::ne, "A != B", "A != B", "A ^ B"},
    Form{Op::lt, "A < B", "A < B", "B & (A == 0)"},
    Form{Op::le, "A <= B", "A <= B", "B | (A == 0)"},
    Form{Op::gt, "A > B", "A > B", "A & (B == 0)"},
    Form{Op::ge, "A >= B", "A >= B", "A | (B == 0)"},
    Form{Op::select, "A ? B : C", "A ? B : C", "A ? B : C"},
};

// Empty if the operation does not take the dtype.
inline std::string form_of(Op op, DType dtype) {
  if (!is_elementwise(op) || !takes(info(op).takes, dtype)) return "";
  for (const Form& form : forms) {
    if (form.op != op) continue;
    return std::string(is_floating(dtype)  ? form.floating
                       : is_integer(dtype) ? form.integer
                                           : form.boolean);
  }
  return text(op, info(op).arity == 1 ? "_T(A)" : "_T(A, B)");
}

// Substitutes the operands: "A * B" becomes "v3 * v5".
inline std::string fill(std::string_view form, Span<const std::string> operands,
                        const ValueType& type) {
  std::string result;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const char c = form[i];
    if (c >= 'A' && c <= 'C') {
      result += operands[c - 'A'];
    } else if (c == 'T') {
      result += suffix(type);
    } else {
      result += c;
    }
  }
  return result;
}

inline std::size_t lane_size(const ValueType& type) {
  return info(type.dtype == boolean ? type.mask : computed_in(type.dtype)).size;
}

inline std::string convert(const std::string& vector, const ValueType& to) {
  return text("__builtin_convertvector(", vector, ", ", type_name(to), ")");
}

// Converts a vector of booleans to lanes as wide as those of `type`.
inline std::string mask_for(const std::string& mask, const ValueType& type) {
  constexpr std::array integers{i8, i8, i16, i16, i32, i32, i32, i32, i64};
  const std::size_t size = lane_size(type);
  if (type.lanes == 1 || size == info(type.mask).size) return mask;
  return convert(mask, {integers[size], type.lanes, type.mask});
}

// A comparison of values of type `from`, as a boolean.
inline std::string boolean_text(const std::string& comparison, const ValueType& from) {
  const ValueType to{boolean, from.lanes, from.mask};
  if (from.lanes == 1 || lane_size(from) == lane_size(to)) return comparison;
  return convert(comparison, to);
}

inline std::string cast_text(const std::string& operand, const ValueType& from,
                             const ValueType& to) {
  const DType source = computed_in(from.dtype), target = computed_in(to.dtype);
  const bool vector = to.lanes > 1;
  if (source == target) return operand;
  if (target == boolean) return boolean_text(text(operand, " != 0"), from);
  if (is_floating(source) && is_integer(target)) {
    return text("saturate_", target, "_", suffix(from), "(", operand, ")");
  }
  if (!vector) return text("(", type_name(to), ")", operand);
  const std::string number = source == boolean ? text("-", operand) : operand;
  if (source == boolean && target == to.mask) return number;
  if (target == f32 && (source == i8 || source == u8)) {
    return text("f32_of_", source, "x", to.lanes, "(", number, ")");
  }
  return convert(number, to);
}

// Comparisons as bit operations: g++ compares vectors of several registers lane by lane.
inline std::string_view wide_form(Op op) {
  switch (op) {
    case Op::eq:
      return "~differs_T(A, B)";
    case Op::ne:
      return "differs_T(A, B)";
    case Op::lt:
      return "is_less_T(A, B)";
    case Op::le:
      return "~is_less_T(B, A)";
    case Op::gt:
      return "is_less_T(B, A)";
    case Op::ge:
      return "~is_less_T(A, B)";
    default:
      return "";
  }
}

inline bool is_wide_comparison(Op op, const ValueType& from) {
  const ValueType to{boolean, from.lanes, from.mask};
  return from.dtype == i64 && from.lanes > 1 && lane_size(from) > lane_size(to) &&
         !wide_form(op).empty();
}

template <class T>
std::string hexadecimal(T value) {
  char digits[40];
  std::snprintf(digits, sizeof(digits), "%a", static_cast<double>(value));
  return text(digits, sizeof(T) == 4 ? "f" : "");
}

}  // namespace detail

/// The C type of an element in memory: "unsigned short" for the 16-bit floating dtypes.
inline std::string_view memory_type(DType dtype) {
  return is_half(dtype) ? "unsigned short" : info(dtype).c_name;
}

/// "f32_of_f16(in0[i0])": `element`, as it is in memory, in the type of computation.
inline std::string loaded(DType dtype, const std::string& element) {
  return is_half(dtype) ? text("f32_of_", dtype, "(", element, ")") : element;
}

/// "f16_of_f32(v3)": `value` as it is in memory.
inline std::string stored(DType dtype, const std::string& value) {
  return is_half(dtype) ? text(dtype, "_of_f32(", value, ")") : value;
}

/// A literal that reads back as the same number; floating numbers are hexadecimal.
inline std::string literal(const Constant& number) {
  if (number.dtype == boolean) return number.bits != 0 ? "true" : "false";
  if (!is_floating(number.dtype)) {
    const std::int64_t value = number.integer();
    if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807l - 1)";
    const std::string digits = text(value, number.dtype == i64 ? "l" : "");
    if (number.dtype == i32 && value == std::numeric_limits<std::int32_t>::min()) {
      return "(-2147483647 - 1)";
    }
    return value < 0 ? text("(", digits, ")") : digits;
  }
  const double value = number.floating();
  const std::string_view single = number.dtype == f64 ? "" : "f";
  if (std::isnan(value)) return text("__builtin_nan", single, "(\"\")");
  const bool negative = std::signbit(value);
  const std::string positive = std::isinf(value) ? text("__builtin_inf", single, "()")
                               : single.empty()
                                   ? detail::hexadecimal(std::abs(value))
                                   : detail::hexadecimal(static_cast<float>(std::abs(value)));
  return negative ? text("(-", positive, ")") : positive;
}

/// The neutral element of `op`, a reduction other than argmax.
inline Constant neutral(Op op, DType dtype) {
  if (op == Op::sum || op == Op::cumsum) return constant(0, dtype);
  if (op == Op::prod || op == Op::cumprod) return constant(1, dtype);
  if (dtype == boolean) return constant(op == Op::min, dtype);
  const double infinity = std::numeric_limits<double>::infinity();
  if (!is_floating(dtype) && dtype != i64)
    return constant(op == Op::max ? -infinity : infinity, dtype);
  if (dtype == i64) {
    using Limits = std::numeric_limits<std::int64_t>;
    return constant(op == Op::max ? Limits::min() : Limits::max(), dtype);
  }
  return constant(op == Op::max ? -infinity : infinity, dtype);
}

/// The elementwise operation that combines two partial results of a reduction.
inline Op combining(Op reduction) {
  switch (reduction) {
    case Op::sum:
    case Op::cumsum:
      return Op::add;
    case Op::prod:
    case Op::cumprod:
      return Op::mul;
    case Op::max:
      return Op::maximum;
    case Op::min:
      return Op::minimum;
    default:
      throw InternalError(text("codegen: ", reduction, " does not combine two numbers"));
  }
}

/// The elementwise `op` of `operands`, which have type `from`, as a value of type `to`; both have
/// the same number of lanes.
inline std::string apply(Op op, Span<const std::string> operands, const ValueType& from,
                         const ValueType& to) {
  if (op == Op::cast) return detail::cast_text(operands[0], from, to);
  const std::string form = detail::form_of(op, from.dtype);
  if (form.empty()) throw InternalError(text("codegen: no form for ", op, " of ", from.dtype));
  if (op == Op::select) {
    const std::string condition = detail::mask_for(operands[0], to);
    return detail::fill(form, std::array{condition, operands[1], operands[2]}, from);
  }
  const bool wide = detail::is_wide_comparison(op, from);
  const std::string result =
      detail::fill(wide ? detail::wide_form(op) : std::string_view(form), operands, from);
  return info(op).gives == Gives::boolean ? detail::boolean_text(result, from) : result;
}

/// The same in CUDA, whose compiler assumes that signed arithmetic does not overflow: it is written
/// as unsigned arithmetic, which wraps.
inline std::string apply_in_cuda(Op op, Span<const std::string> operands, const ValueType& from,
                                 const ValueType& to) {
  const bool overflows = op == Op::add || op == Op::sub || op == Op::mul || op == Op::neg;
  // Narrower types are promoted to int, where they cannot overflow.
  if (!overflows || (from.dtype != i32 && from.dtype != i64)) return apply(op, operands, from, to);
  const std::string_view arguments = op == Op::neg ? "(A)" : "(A, B)";
  return detail::fill(text(op, "_T", arguments), operands, from);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
