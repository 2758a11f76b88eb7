#pragma once
// The output tiles that CUDA blocks compute, and the cost model that chooses one.

#include <algorithm>  // std::clamp
#include <array>      // std::array
#include <cstdint>    // std::int64_t, std::uint8_t

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The output tile of a block.
struct CudaTile {
  int rows = 1, columns = 1;
  int warps_down = 1, warps_across = 1;  ///< Tensor cores: the grid of warps of a tile.
  int step = 16;                         ///< Depth fetched per pipeline stage.
  double speed = 1;                      ///< Throughput relative to the fastest tile.
};

/// How sums are computed: on tensor cores; on CUDA cores from operands in shared memory; for few
/// rows, a warp per column if columns are contiguous along the depth (dots), or a thread per column
/// if rows are contiguous (columns).
enum class CudaMethod : std::uint8_t { mma, registers, dots, columns };

namespace detail {

// Assumed for unknown numbers of rows, columns and batches.
inline constexpr std::int64_t usual_size = 1024, usual_batch = 16;

// Speeds are predictions for an H200, where mma.sync reaches about 600 of the peak 989 TFLOP/s with
// 16-bit operands. For TF32 both are half, and operands have twice the bytes, so the ratios between
// tiles are the same. A warp tile of 64 x 64 reads 8 KiB of shared memory for 64 Ki multiply-adds,
// which takes two thirds of the time of its instructions; one of 32 x 32 reads 4 KiB for 16 Ki and
// is bound by shared memory. Small tiles fetch more of the depth per stage, so that few blocks keep
// enough bytes in flight.
inline constexpr std::array<CudaTile, 5> mma_tiles{{{128, 128, 2, 2, 32, 1.0},
                                                    {64, 128, 2, 2, 32, 0.85},
                                                    {64, 64, 2, 2, 64, 0.7},
                                                    {32, 64, 1, 4, 64, 0.45},
                                                    {16, 64, 1, 4, 128, 0.25}}};
// A thread with 8 x 8 sums does 64 multiply-adds for 16 loaded values.
inline constexpr std::array<CudaTile, 5> register_tiles{{{128, 128, 1, 1, 16, 1.0},
                                                         {64, 128, 1, 1, 16, 0.85},
                                                         {64, 64, 1, 1, 16, 0.6},
                                                         {32, 64, 1, 1, 16, 0.4},
                                                         {32, 32, 1, 1, 16, 0.3}}};

/// The upper bound of `extent`; `usual` if it has none.
inline std::int64_t estimated_extent(Extent extent, std::int64_t usual = usual_size) {
  const std::int64_t most = bounds(extent).max;
  return most == unbounded ? usual : std::clamp<std::int64_t>(most, 1, 1 << 20);
}

/// True if the accumulators of `tile` fit in registers: 8-byte sums take twice as many.
inline bool fits(const CudaTile& tile, DType dtype) {
  return info(dtype).size < 8 || tile.rows * tile.columns <= 64 * 64;
}

}  // namespace detail

/// All tiles of a method; some do not fit if accumulators have 8 bytes.
inline Span<const CudaTile> cuda_tiles(CudaMethod method) {
  if (method == CudaMethod::mma) return detail::mma_tiles;
  return detail::register_tiles;
}

/// The tile with the least predicted time for a product of this size on `multiprocessors`.
inline CudaTile cuda_tile(CudaMethod method, DType dtype, Extent batch, Extent rows, Extent columns,
                          std::int64_t multiprocessors) {
  const auto parts = [](Extent all, int part) {
    return (detail::estimated_extent(all) + part - 1) / part;
  };
  CudaTile best;
  double least = 0;
  for (const CudaTile& tile : cuda_tiles(method)) {
    if (!detail::fits(tile, dtype)) continue;
    const std::int64_t blocks = detail::estimated_extent(batch, detail::usual_batch) *
                                parts(rows, tile.rows) * parts(columns, tile.columns);
    const std::int64_t waves = (blocks + multiprocessors - 1) / multiprocessors;
    const double time = static_cast<double>(waves * tile.rows * tile.columns) / tile.speed;
    if (least == 0 || time < least) best = tile, least = time;
  }
  return best;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
