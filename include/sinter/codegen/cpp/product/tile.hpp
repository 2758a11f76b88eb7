#pragma once
// Chooses the register tile of a matrix product: the sums that stay in registers.

#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The sums that one call of a `multiply_` helper keeps in registers, and those of calls for the
/// last rows and columns; 0 where there are no such calls.
struct TileSize {
  int lanes = 1, rows = 1, vectors = 1, rest_rows = 0, rest_vectors = 0;
  int columns() const { return vectors * lanes; }
};

/// The tile for sums of `dtype` in a matrix of `rows` x `columns`.
TileSize tile_size(DType dtype, Extent rows, Extent columns, const CppOptions& options);

namespace detail {

/// The type of the sums of products of `dtype`.
DType accumulated_as(DType dtype);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/product/tile.ipp>
#endif
