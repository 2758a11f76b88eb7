#pragma once
// Sums of products over pairs of axes: see product.hpp.

#include <sinter/trace/cast.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/product.hpp>
#include <sinter/trace/recorder.hpp>
#include <sinter/trace/reduce.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// Makes the extents of a pair of axes equal: one element meets the sum of the others, as in torch.
SINTER_INLINE void meet(Tensor& left, int a, Tensor& right, int b, const Operand& lhs,
                        const Operand& rhs) {
  const Where at = lhs.where;
  const Extent one = left.shape()[a], other = right.shape()[b];
  if (equal_sizes(one, other, at)) return;
  const auto is_one = [at](Extent extent) {
    return same(extent, Extent(1)) || fix_one(extent, at);
  };
  if (is_one(one)) {
    right = sum({right, at}, b, true, right.dtype());
  } else if (is_one(other)) {
    left = sum({left, at}, a, true, left.dtype());
  } else {
    require_equal("tensordot", one, other, text("lhs.shape[", a, "] == rhs.shape[", b, "], or 1"),
                  lhs, rhs);
  }
}

}  // namespace detail

SINTER_INLINE Tensor tensordot(Operand lhs, Operand rhs, std::vector<int> lhs_axes,
                               std::vector<int> rhs_axes) {
  const detail::PublicCall call("tensordot", lhs.where);
  const Where at = lhs.where;
  const DType dtype =
      detail::product_dtype(detail::promote(lhs.type(), rhs.type()), "tensordot", lhs, rhs);
  Tensor left = detail::cast(lhs, dtype), right = detail::cast({rhs.tensor(), at}, dtype);
  if (lhs_axes.size() != rhs_axes.size()) {
    throw ShapeError({.op = "tensordot",
                      .what = "the axes are not pairs",
                      .facts = {{"axes", detail::text(lhs_axes, " and ", rhs_axes)}},
                      .rule = "there are as many axes of lhs as of rhs",
                      .fix = "name one axis of each operand for each sum",
                      .where = at,
                      .see = "matmul"});
  }
  detail::axes_of(lhs_axes, left, "tensordot", at);  // each is there, once
  detail::axes_of(rhs_axes, right, "tensordot", at);
  detail::DotAxes axes;
  for (std::size_t i = 0; i < lhs_axes.size(); ++i) {
    const int a = detail::axis_of(lhs_axes[i], left, "tensordot", at);
    const int b = detail::axis_of(rhs_axes[i], right, "tensordot", at);
    detail::meet(left, a, right, b, lhs, rhs);
    axes.lhs_contract.push_back(a), axes.rhs_contract.push_back(b);
  }
  if (!axes.lhs_contract.empty()) return detail::contract(left, right, axes, at);
  Shape ones = left.shape();
  for (int i = 0; i < right.ndim(); ++i) ones.push_back(1, at);
  return mul({reshape({left, at}, ones), at}, {right, at});
}

SINTER_INLINE Tensor tensordot(Operand lhs, Operand rhs, int axes) {
  const detail::PublicCall call("tensordot", lhs.where);
  std::vector<int> last, first;
  for (int i = 0; i < axes; ++i) last.push_back(i - axes), first.push_back(i);
  return tensordot(lhs, rhs, last, first);
}

}  // namespace sinter::inline SINTER_ABI
