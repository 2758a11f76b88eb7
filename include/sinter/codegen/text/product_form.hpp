#pragma once
// Which kernels are matrix products, and what their loops are to the product.

#include <optional>  // std::optional
#include <vector>    // std::vector

#include <sinter/codegen/text/layout.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// For each point of `batch`, the product of a matrix `left`, of `rows` x `depth`, and a matrix
/// `right`, of `depth` x `columns`. Each side may have several loops, the last of which is the
/// innermost; matrices are counted along the product of their extents.
struct ProductForm {
  int stage = 0;    ///< Whose loops are `depth`.
  ValueId sum = 0;  ///< The reduction in it: the sum of left * right.
  ValueId left = 0, right = 0;
  std::vector<Loop> batch{}, rows{}, columns{}, depth{};
};

/// The product that `kernel` is, if it is one: a stage that does nothing but multiply and sum, and
/// stages without loops that use the sum; only in those the data can be at fault. `columns` has the
/// last loop of the grid, the one along which results lie.
std::optional<ProductForm> product_form(const Kernel& kernel, bool strict);

/// The number of elements of `loops` together.
Extent count_of(const std::vector<Loop>& loops);
/// The position of their present elements in one another: (i * J + j) * K + k.
Extent flat_index(const std::vector<Loop>& loops);
/// How far apart in memory neighbours of flat_index are for `index`, if that is the same for all.
std::optional<Extent> flat_step(Extent index, const std::vector<Loop>& loops);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/product_form.ipp>
#endif
