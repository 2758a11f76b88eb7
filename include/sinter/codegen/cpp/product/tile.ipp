#pragma once

#include <algorithm>  // std::max
#include <cstdint>    // std::int64_t

#include <sinter/codegen/cpp/product/tile.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

SINTER_INLINE DType accumulated_as(DType dtype) {
  return dtype == f16 || dtype == bf16 ? f32 : dtype;
}

}  // namespace detail

// As many sums as fit in the registers, beside a row of `right` and an element of `left`.
SINTER_INLINE TileSize tile_size(DType dtype, int vector_bits, Extent rows, Extent columns,
                                 const Tuning& tuning) {
  TileSize tile;
  const int bytes = std::max(4, static_cast<int>(info(detail::accumulated_as(dtype)).size));
  tile.lanes = vector_bits == 0 ? 1 : vector_bits / (8 * bytes);
  tile.vectors = vector_bits == 512 || vector_bits == 0 ? 4 : 2;
  tile.rows = vector_bits == 0 ? 3 : 6;
  if (tuning.tile_rows != 0) tile.rows = tuning.tile_rows, tile.vectors = tuning.tile_vectors;
  const std::int64_t wide = bounds(columns).max, high = bounds(rows).max;
  if (wide < tile.columns()) {
    tile.vectors = std::max(1, static_cast<int>((wide + tile.lanes - 1) / tile.lanes));
    if (tile.columns() < 4) tile.vectors = 4 / tile.lanes;  // columns are transposed by fours
    if (vector_bits == 512 && tile.vectors <= 2 && tuning.tile_rows == 0) tile.rows = 8;
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
