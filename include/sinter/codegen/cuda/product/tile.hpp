#pragma once
// The output tiles that CUDA blocks compute, and the cost model that chooses one.

#include <cstdint>  // std::int64_t, std::uint8_t

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>
#include <sinter/symbol/extent/extent.hpp>

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

/// The tile with the least predicted time for a product of this size on `multiprocessors`.
CudaTile cuda_tile(CudaMethod method, DType dtype, Extent batch, Extent rows, Extent columns,
                   std::int64_t multiprocessors);

/// All tiles of a method; some do not fit if accumulators have 8 bytes.
Span<const CudaTile> cuda_tiles(CudaMethod method);

namespace detail {

// Assumed for unknown numbers of rows, columns and batches.
inline constexpr std::int64_t usual_size = 1024, usual_batch = 16;

/// The upper bound of `extent`; `usual` if it has none.
std::int64_t estimated_extent(Extent extent, std::int64_t usual = usual_size);

/// True if the accumulators of `tile` fit in registers: 8-byte sums take twice as many.
bool fits(const CudaTile& tile, DType dtype);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/product/tile.ipp>
#endif
