#pragma once

#include <sinter/autodiff/gradient/contraction_rules.hpp>
#include <sinter/base/container/algorithm.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of {

namespace detail {

// The axes of one operand, by what dot_general does with them; free ones ascend.
struct OperandAxes {
  AxisList batch, contract, free;
};

SINTER_INLINE OperandAxes operand_axes(const Backward& at, bool lhs) {
  OperandAxes result{numbers(at.node, lhs ? "lhs_batch" : "rhs_batch"),
                     numbers(at.node, lhs ? "lhs_contract" : "rhs_contract"),
                     {}};
  for (std::int64_t axis = 0; axis < at.type(lhs ? 0 : 1).shape.size(); ++axis) {
    if (!contains(result.batch, axis) && !contains(result.contract, axis))
      result.free.push_back(axis);
  }
  return result;
}

SINTER_INLINE AxisList ascending(std::size_t begin, std::size_t count) {
  AxisList result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(static_cast<std::int64_t>(begin + i));
  return result;
}

// Axis i of `x` is to become axis places[i].
SINTER_INLINE Value arrange(Builder& build, Value x, const AxisList& places) {
  AxisList axes(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    axes[static_cast<std::size_t>(places[i])] = static_cast<std::int64_t>(i);
  }
  return axes == ascending(0, axes.size()) ? x : build.permute(x, axes);
}

// The axes of `mine` that the contracted axes of `other`, ascending, were paired with.
SINTER_INLINE AxisList partners(const OperandAxes& mine, const OperandAxes& other) {
  AxisList sorted = other.contract, result;
  stable_sort(sorted);
  for (const std::int64_t axis : sorted) {
    const auto at = find(other.contract, axis);
    result.push_back(mine.contract[static_cast<std::size_t>(at - other.contract.begin())]);
  }
  return result;
}

SINTER_INLINE AxisList join(AxisList a, const AxisList& b, const AxisList& c) {
  a.insert(a.end(), b.begin(), b.end());
  a.insert(a.end(), c.begin(), c.end());
  return a;
}

}  // namespace detail

// The gradient has the axes batch, free of lhs, free of rhs. It is contracted with the other
// operand over the free axes of that one; what is left are batch, mine, and the partners of mine.
SINTER_INLINE Value dot_general(const Backward& at, std::size_t input) {
  const bool for_lhs = input == 0;
  const auto mine = detail::operand_axes(at, for_lhs), other = detail::operand_axes(at, !for_lhs);
  const std::size_t batch = mine.batch.size();
  const AxisList batches = detail::ascending(0, batch);
  const AxisList partners = detail::partners(mine, other);
  if (for_lhs) {
    const AxisList theirs = detail::ascending(batch + mine.free.size(), other.free.size());
    const Value product = at.builder.dot_general(at.gradient(), at.input(1),
                                                 {batches, other.batch, theirs, other.free});
    return detail::arrange(at.builder, product, detail::join(mine.batch, mine.free, partners));
  }
  const AxisList theirs = detail::ascending(batch, other.free.size());
  const Value product = at.builder.dot_general(at.input(0), at.gradient(),
                                               {other.batch, batches, other.free, theirs});
  return detail::arrange(at.builder, product, detail::join(mine.batch, partners, mine.free));
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of
