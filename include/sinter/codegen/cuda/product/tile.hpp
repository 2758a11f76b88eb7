#pragma once
// The tiles of sums that blocks of CUDA threads make, and which of them a product takes.

#include <cstdint>  // std::int64_t, std::uint8_t
#include <span>     // std::span

#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The sums that a block makes at once.
struct CudaTile {
  int rows = 1, columns = 1;
  int warps_down = 1, warps_across = 1;  ///< Of tensor cores: how warps share them.
  int step = 16;             ///< Of the depth, how much of the operands is fetched at once.
  double speed = 1;          ///< Sums in a time, relative to the fastest tile.
};

/// How sums are made: by tensor cores; by threads, from operands in shared memory; for few rows, by
/// warps from columns that lie along the depth, or by threads from columns that lie side by side.
enum class CudaMethod : std::uint8_t { mma, registers, dots, columns };

/// The tile for a product of this size that is expected to take the least time.
CudaTile cuda_tile(CudaMethod method, DType dtype, Extent batch, Extent rows, Extent columns);

/// All tiles that a method has; some are too large for sums of 8 bytes.
std::span<const CudaTile> cuda_tiles(CudaMethod method);

namespace detail {

// For rows, columns and batches whose number is not known.
inline constexpr std::int64_t usual_size = 1024, usual_batch = 16;
// Of the GPU that speeds are for.
inline constexpr std::int64_t cuda_multiprocessors = 132;

/// How many of what is counted by `extent` there are at most; `usual` if that is not known.
std::int64_t estimated_extent(Extent extent, std::int64_t usual = usual_size);

/// Whether the registers of a block have room for `tile`: sums of 8 bytes take twice as many.
bool fits(const CudaTile& tile, DType dtype);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/product/tile.ipp>
#endif
