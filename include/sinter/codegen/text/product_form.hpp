#pragma once
// Recognises matrix products, and sorts their loops into batch, rows, columns and depth.

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/layout.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// For each point of `batch`, the product of `left`, a matrix of `rows` x `depth`, and `right`, one
/// of `depth` x `columns`. Each dimension may consist of several loops, the last one innermost; its
/// size is the product of their extents.
struct ProductForm {
  int stage = 0;    ///< The stage whose loops are `depth`.
  ValueId sum = 0;  ///< Its reduction: the sum of left * right.
  ValueId left = 0, right = 0;
  Vector<Loop> batch{}, rows{}, columns{}, depth{};
};

/// `kernel` as a product, if one stage only multiplies and sums, and the stages that use the sum
/// have no loops; only the latter may check data. `columns` has the last grid loop, along which
/// results are contiguous.
Optional<ProductForm> product_form(const Kernel& kernel, bool strict);

using schedule::count_of;
/// The row-major index of an iteration of `loops`: (i * J + j) * K + k.
Extent flat_index(const Vector<Loop>& loops);
/// The stride of `index` along flat_index(), if it is uniform.
Optional<Extent> flat_step(Extent index, const Vector<Loop>& loops);

/// A matrix in memory, contiguous along its lines or across them.
struct MatrixLines {
  bool is_along = false;  ///< Whether the elements of a line follow each other.
  Extent stride = 0;      ///< From one line, or else one element of a line, to the next.
};

/// The matrix at `index`, if its lines are at constant strides.
Optional<MatrixLines> lines_of(Extent index, const Vector<Loop>& lines, const Vector<Loop>& along);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/product_form.ipp>
#endif
