#pragma once
// Lists of positions along several axes, as one list along one axis.

#include <algorithm>  // std::find
#include <numeric>    // std::iota

#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/gather.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/selection.hpp>

namespace sinter::inline SINTER_ABI::detail {

// The axes in the order in which those with lists stand side by side: where they are, if they do,
// else in front.
SINTER_INLINE std::vector<int> listed_order(int rank, const std::vector<AxisIndices>& lists) {
  std::vector<int> order;
  const int first = lists.front().axis, count = static_cast<int>(lists.size());
  if (lists.back().axis - first == count - 1) {
    order.resize(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  for (const AxisIndices& list : lists) order.push_back(list.axis);
  for (int axis = 0; axis < rank; ++axis) {
    if (std::find(order.begin(), order.end(), axis) == order.end()) order.push_back(axis);
  }
  return order;
}

// The positions along the merged axes.
SINTER_INLINE Tensor merged_rows(const Shape& x, const std::vector<AxisIndices>& lists,
                                 std::string_view op, Where where) {
  if (lists.size() == 1) return lists[0].indices;
  std::vector<Operand> operands;
  for (const AxisIndices& list : lists) operands.push_back({list.indices, where});
  const Shape shape = broadcast_shapes(op, operands);
  Tensor rows;
  for (const AxisIndices& list : lists) {
    const Tensor along = checked_indices(list.indices, x[list.axis], where);
    if (rows.defined()) {
      rows = add({mul({rows, where}, {x[list.axis], where}), where}, {along, where});
    } else {
      rows = along;
    }
  }
  return expand({rows, where}, shape);
}

SINTER_INLINE Merged merge_lists(const Shape& x, const std::vector<AxisIndices>& lists,
                                 std::string_view op, Where where) {
  Merged result;
  result.order = listed_order(x.size(), lists);
  const auto position = std::find(result.order.begin(), result.order.end(), lists.front().axis);
  result.axis = static_cast<int>(position - result.order.begin());
  result.rows = merged_rows(x, lists, op, where);
  const int last = result.axis + static_cast<int>(lists.size()) - 1;
  for (int i = 0; i < x.size(); ++i) {
    const Extent extent = x[result.order[static_cast<std::size_t>(i)]];
    result.permuted.push_back(extent);
    if (i > result.axis && i <= last) {
      result.merged[-1] = result.merged[-1] * extent;
    } else {
      result.merged.push_back(extent);
    }
  }
  result.result = replaced_axis(result.merged, result.axis, result.rows.shape(), where);
  return result;
}

SINTER_INLINE Tensor merge(const Tensor& x, const Merged& merged, Where where) {
  return reshape({permute({x, where}, merged.order), where}, merged.merged);
}

SINTER_INLINE Tensor unmerge(const Tensor& x, const Merged& merged, Where where) {
  std::vector<int> back(merged.order.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    back[static_cast<std::size_t>(merged.order[i])] = static_cast<int>(i);
  }
  return permute({reshape({x, where}, merged.permuted), where}, back);
}

}  // namespace sinter::inline SINTER_ABI::detail
