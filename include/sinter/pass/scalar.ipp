#pragma once

#include <cstdint>  // std::int64_t

#include <sinter/graph/elementwise.hpp>
#include <sinter/pass/scalar.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

namespace detail {

template <class T>
Constant compute_floating(Op op, Span<const Constant> operands, DType result) {
  const T x = static_cast<T>(operands[0].floating()),
          y = static_cast<T>(operands.back().floating());
  const auto of_both = [&](const auto& f) { return constant(f(x, y), result); };
  if (info(op).gives == Gives::boolean) return visit_comparison<T>(op, of_both);
  if (operands.size() == 2) return visit_floating_binary<T>(op, of_both);
  return visit_floating_unary<T>(op, [&](const auto& f) { return constant(f(x), result); });
}

SINTER_INLINE Constant compute_integral(Op op, Span<const Constant> operands, DType result) {
  using T = std::int64_t;
  const T x = operands[0].integer(), y = operands.back().integer();
  const DType dtype = operands[0].dtype;
  const int bits = dtype == boolean ? 1 : static_cast<int>(8 * info(dtype).size);
  const auto narrowed = [&](auto value) { return constant(static_cast<T>(value), result); };
  const auto of_both = [&](const auto& f) { return narrowed(f(x, y)); };
  if (info(op).gives == Gives::boolean) return visit_comparison<T>(op, of_both);
  if (operands.size() == 2) return visit_integral_binary<T>(op, bits, of_both);
  return visit_integral_unary<T>(op, bits, [&](const auto& f) { return narrowed(f(x)); });
}

}  // namespace detail

SINTER_INLINE Optional<Constant> compute(Op op, Span<const Constant> operands, DType result) {
  if (op == Op::cast) return cast(operands[0], result);
  if (op == Op::select) return operands[operands[0].integer() != 0 ? 1 : 2];
  const DType dtype = computed_in(operands[0].dtype);
  if (dtype == f64) return detail::compute_floating<double>(op, operands, result);
  if (dtype == f32) return detail::compute_floating<float>(op, operands, result);
  const bool divides = op == Op::floor_divide || op == Op::remainder;
  if (divides && operands[1].integer() == 0) return {};
  return detail::compute_integral(op, operands, result);
}

}  // namespace sinter::inline SINTER_ABI::detail::pass
