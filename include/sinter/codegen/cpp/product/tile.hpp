#pragma once
// Chooses the register tile of a matrix product: the sums that stay in registers.

#include <algorithm>  // std::max
#include <cstdint>    // std::int64_t

#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The sums that one call of a `multiply_` helper keeps in registers, and those of calls for the
/// last rows and columns; 0 where there are no such calls.
struct TileSize {
  int lanes = 1, rows = 1, vectors = 1, rest_rows = 0, rest_vectors = 0;
  int columns() const { return vectors * lanes; }
};

namespace detail {

/// The type of the sums of products of `dtype`.
inline DType accumulated_as(DType dtype) { return dtype == f16 || dtype == bf16 ? f32 : dtype; }

}  // namespace detail

/// The tile for sums of `dtype` in a matrix of `rows` x `columns`: as many sums as fit in the
/// registers, beside a row of `right` and an element of `left`.
inline TileSize tile_size(DType dtype, Extent rows, Extent columns, const CppOptions& options) {
  TileSize tile;
  const Tuning& tuning = options.tuning;
  const schedule::CppLimits& limits = options.target.cpp;
  const int bits = options.target.vectors.bits;
  const bool few_registers = bits != 0 && bits < 512;
  const int bytes = std::max(4, static_cast<int>(info(detail::accumulated_as(dtype)).size));
  tile.lanes = bits == 0 ? 1 : bits / (8 * bytes);
  tile.vectors = few_registers ? limits.tile_vectors_of_few_registers : limits.tile_vectors;
  tile.rows = bits == 0 ? limits.tile_rows_of_scalars : limits.tile_rows;
  if (tuning.tile_rows != 0) tile.rows = tuning.tile_rows, tile.vectors = tuning.tile_vectors;
  const std::int64_t wide = bounds(columns).max, high = bounds(rows).max;
  if (wide < tile.columns()) {
    tile.vectors = std::max(1, static_cast<int>((wide + tile.lanes - 1) / tile.lanes));
    if (tile.columns() < 4) tile.vectors = 4 / tile.lanes;  // columns are transposed by fours
    const bool is_narrow = bits == 512 && tile.vectors <= 2;
    if (is_narrow && tuning.tile_rows == 0) tile.rows = limits.tile_rows_of_narrow;
  } else if (!columns.is_number()) {
    tile.rest_vectors = tile.vectors / 2;
  } else if (columns.number() % tile.columns() != 0) {
    const auto left = static_cast<int>(columns.number() % tile.columns());
    tile.rest_vectors = (left + tile.lanes - 1) / tile.lanes;
  }
  if (tile.rest_vectors == tile.vectors) tile.rest_vectors = 0;
  if (high < tile.rows) {
    tile.rows = static_cast<int>(std::max<std::int64_t>(high, 1));
  } else if (!rows.is_number()) {
    tile.rest_rows = (tile.rows + 1) / 2;
  } else {
    tile.rest_rows = static_cast<int>(rows.number() % tile.rows);
  }
  return tile;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
