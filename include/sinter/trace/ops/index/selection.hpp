#pragma once
// A list of indices, worked out for one tensor: what x[{...}] and set(x, {...}, value) share.

#include <span>         // std::span
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The elements start, start + step, ... of an axis: `count` of them; of the axis reversed if it is
/// `reversed`.
struct AxisRange {
  Extent start = 0, count = 0;
  std::int64_t step = 1;
  bool reversed = false;
};

/// Positions along an axis: i64. A mask stands for several axes as one, and names none twice.
struct AxisIndices {
  int axis = 0;
  Tensor indices{};
};

/// Three steps, of which each reads what the one before gave.
struct Selection {
  std::vector<AxisRange> ranges;       ///< One for each axis of x.
  Shape shape;                         ///< Of what the ranges give, without axes of positions, with
                                       ///< new axes, the axes of a mask as one.
  std::vector<AxisIndices> positions;  ///< Of rank 0, each of which drops its axis.
  std::vector<AxisIndices> lists;      ///< Of rank 1 and more, in what is left.
  Where where{};

  /// True if every element of a tensor of shape `from` is in the ranges.
  bool covers(const Shape& from) const;
};

/// How many axes of x an index stands for; an ellipsis stands for what is left.
int axes_taken(const Index& index);
/// Throws IndexError, in the name of `op`, unless the mask has the shape of the axes of `x` from
/// `axis` on.
void require_mask(const Tensor& x, int axis, const Tensor& mask, std::string_view op, Where where);

/// Throws IndexError, DTypeError or ShapeError, in the name of `op`, for what `x` does not have.
Selection select(const Tensor& x, std::span<const Index> indices, std::string_view op, Where where);

/// The elements of `x` in the ranges of `selection`.
Tensor take_ranges(const Tensor& x, const Selection& selection);
/// `x` with those of `part` in their place.
Tensor put_ranges(const Tensor& x, const Selection& selection, const Tensor& part);

/// What lists of positions, at least one of them, select of a tensor: its axes permuted so that
/// those with lists stand side by side, these merged to one, and one list of positions along it.
struct Merged {
  std::vector<int> order;  ///< Of the axes of x.
  Shape permuted;          ///< Its shape in this order.
  int axis = 0;            ///< The merged axis.
  Shape merged;            ///< The shape with the merged axis.
  Tensor rows;             ///< The positions along it.
  Shape result;            ///< What is selected.
};

Merged merge_lists(const Shape& x, const std::vector<AxisIndices>& lists, std::string_view op,
                   Where where);
/// `x` with the merged axis.
Tensor merge(const Tensor& x, const Merged& merged, Where where);
/// A merged tensor in the shape of x again.
Tensor unmerge(const Tensor& x, const Merged& merged, Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/index/selection.ipp>
#endif
