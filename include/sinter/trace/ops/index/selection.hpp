#pragma once
// A list of indices resolved for one tensor; shared by x[{...}] and set(x, {...}, value).

#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
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

/// Positions along an axis, i64. A mask covers several axes, merged to one, without duplicates.
struct AxisIndices {
  int axis = 0;
  Tensor indices{};
};

/// Three steps; each applies to the result of the one before.
struct Selection {
  Vector<AxisRange> ranges;            ///< One for each axis of x.
  Shape shape;                         ///< After the ranges: without axes of positions, with
                                       ///< new axes, mask axes merged.
  Vector<AxisIndices> positions;       ///< Of rank 0; each drops its axis.
  Vector<AxisIndices> lists;           ///< Of rank 1 and more, in the remaining axes.
  Where where{};

  /// True if every element of a tensor of shape `from` is in the ranges.
  bool covers(const Shape& from) const;
};

/// The number of axes of x that an index consumes; an ellipsis consumes the rest.
int axes_taken(const Index& index);
/// Throws IndexError, in the name of `op`, unless the shape of the mask matches the axes of `x`
/// from `axis` on.
void require_mask(const Tensor& x, int axis, const Tensor& mask, std::string_view op, Where where);

/// Throws IndexError, DTypeError or ShapeError, in the name of `op`, for invalid indices.
Selection select(const Tensor& x, Span<const Index> indices, std::string_view op, Where where);

/// The elements of `x` in the ranges of `selection`.
Tensor take_ranges(const Tensor& x, const Selection& selection);
/// `x` with the elements in the ranges replaced by `part`.
Tensor put_ranges(const Tensor& x, const Selection& selection, const Tensor& part);

/// Selection by one or more lists of positions: the axes are permuted so that those with lists are
/// adjacent, these are merged to one, and one list of positions selects along it.
struct Merged {
  std::vector<int> order;  ///< The permutation of the axes of x.
  Shape permuted;          ///< The permuted shape.
  int axis = 0;            ///< The merged axis.
  Shape merged;            ///< The shape with the merged axis.
  Tensor rows;             ///< The positions along the merged axis.
  Shape result;            ///< The shape of the result.
};

Merged merge_lists(const Shape& x, const Vector<AxisIndices>& lists, std::string_view op,
                   Where where);
/// `x` with the merged axis.
Tensor merge(const Tensor& x, const Merged& merged, Where where);
/// Inverts merge(): a merged tensor in the shape of x.
Tensor unmerge(const Tensor& x, const Merged& merged, Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/index/selection.ipp>
#endif
