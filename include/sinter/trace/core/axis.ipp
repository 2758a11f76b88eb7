#pragma once

#include <algorithm>  // std::adjacent_find

#include <sinter/base/container/algorithm.hpp>
#include <sinter/trace/core/axis.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE Axes::Axes(std::initializer_list<int> axes) : list_(axes), all_(false) {}
SINTER_INLINE Axes::Axes(const std::vector<int>& axes)
    : list_(axes.begin(), axes.end()), all_(false) {}

}  // namespace sinter::inline SINTER_ABI

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE int axis_of(int axis, const Tensor& x, std::string_view op, Where where) {
  const int rank = x.ndim(where);
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  throw IndexError(
      {.op = op,
       .what = "x has no such axis",
       .facts = {{"x", to_string(x)}, {"axis", text(axis)}},
       .rule = rank == 0 ? "a tensor of rank 0 has no axes" : text("-", rank, " <= axis < ", rank),
       .fix = rank == 0 ? "leave the axis out, or unsqueeze x first"
                        : "count axes from 0, or from the end with -1",
       .where = where,
       .see = "axes"});
}

SINTER_INLINE std::vector<std::int64_t> axes_of(const Axes& axes, const Tensor& x,
                                                std::string_view op, Where where) {
  std::vector<std::int64_t> result;
  if (axes.all()) {
    for (int axis = 0; axis < x.ndim(where); ++axis) result.push_back(axis);
    return result;
  }
  const bool is_number = x.ndim(where) == 0;  // accepts axes 0 and -1, which reduce nothing
  for (const int axis : axes.list()) {
    result.push_back(is_number && (axis == 0 || axis == -1) ? 0 : axis_of(axis, x, op, where));
  }
  stable_sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end()) {
    throw ValueError({.op = op,
                      .what = "an axis is named twice",
                      .facts = {{"x", to_string(x)}, {"axes", text(axes.list())}},
                      .rule = "axes are different, and -1 is the last one",
                      .fix = "name each axis once",
                      .where = where,
                      .see = "axes"});
  }
  if (is_number) result.clear();
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail
