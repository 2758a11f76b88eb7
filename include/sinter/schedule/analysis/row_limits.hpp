#pragma once
// Limits of row tiling: which kernels can be row-tiled, and how much a tile may hold.

#include <cstdint>    // std::int64_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/symbol/extent/arithmetic.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

// A kernel with more instructions is slow to compile.
inline constexpr std::size_t most_tiled_instructions = 256;
// The most bytes of intermediates per grid row: those of a dozen rows fit in the last-level cache.
inline constexpr std::int64_t most_row_bytes = 1024 * 1024;
// With fewer rows per outer grid point, and fewer outer grid points, threads share the columns of a
// product instead.
inline constexpr std::int64_t fewest_rows = 16;
// The most elements of product operands shared by all tiles: they stay in the cache of a core, so
// that rereading them for each tile is free.
inline constexpr std::int64_t most_near_elements = 256 * 1024;
// The most bytes of intermediates of a row tile, which fit in the last-level cache.
inline constexpr std::int64_t row_tile_bytes = 4096 * 1024;
// The fewest rows of a tile, however large they are, and the fewest tiles for threads to share.
inline constexpr std::int64_t fewest_tile_rows = 12, fewest_row_tiles = 2;
// A product in a kernel of its own reads the other operand once for this many rows.
inline constexpr std::int64_t rows_per_panel_read = 480;
// For this many rows it costs little to reread an operand.
inline constexpr std::int64_t rows_to_reread = 128;
// For this many columns it costs little to repack a row operand.
inline constexpr std::int64_t columns_to_repack = 64;
// A shared operand is large if both its width and its depth exceed this.
inline constexpr std::int64_t most_shared_width = 256;

// Streaming kernels on a GPU: the rows of a thread block, the fewest rows that fill its tiles, and
// the columns that it processes per step.
inline constexpr std::int64_t streaming_rows = 64, fewest_streaming_rows = 16, streaming_step = 64;
// The fewest thread blocks that keep a GPU busy. With fewer of them, separate kernels, which also
// share the columns, are faster than a streaming kernel of more than this many steps.
inline constexpr std::int64_t busy_streaming_blocks = 64, most_steps_of_few_blocks = 32;

// Whether `kernel` can be part of a row-tiled kernel: it is neither serial nor a scan, a sort or a
// partial reduction.
inline bool can_be_tiled(const Kernel& kernel) {
  if (kernel.serial || kernel.grid.empty() || !kernel.finalizers.empty()) return false;
  return all_of(kernel.instructions, [](const Instruction& one) {
    switch (one.code) {
      case Code::load:
      case Code::constant:
      case Code::index:
      case Code::inside:
      case Code::compute:
      case Code::random:
      case Code::bind:
      case Code::divisor:
        return true;
      case Code::reduce:
        return one.op != Op::argmax;
      case Code::store:
        return !one.accumulate;
      default:
        return false;
    }
  });
}

inline std::int64_t times(std::int64_t a, std::int64_t b) {
  return a == unbounded || b == unbounded ? unbounded : saturating_multiply(a, b);
}

// Whether a streaming kernel of `rows` rows and `columns` columns for each of `batches` keeps a GPU
// busy.
inline bool has_busy_streaming_blocks(std::int64_t batches, std::int64_t rows,
                                      std::int64_t columns) {
  if (rows < fewest_streaming_rows) return false;
  return times(batches, 1 + (rows - 1) / streaming_rows) >= busy_streaming_blocks ||
         columns / streaming_step <= most_steps_of_few_blocks;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
