#pragma once
// What may run row by row with others, and how much of it.

#include <algorithm>  // std::all_of
#include <cstdint>    // std::int64_t

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/symbol/extent/arithmetic.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

// A kernel with more instructions is slow to compile.
inline constexpr std::size_t most_block_instructions = 256;
// Of all rows that are handed on: what a dozen rows take fits in the last cache.
inline constexpr std::int64_t most_row_bytes = 1024 * 1024;
// With fewer rows in a block, and fewer blocks than that, the columns of a product are what threads
// share.
inline constexpr std::int64_t fewest_rows = 16;
// Of the factors that blocks share: a core has them near, and reads them again for nothing.
inline constexpr std::int64_t most_near_elements = 256 * 1024;
// Of what is handed on in a block, which fits in the last cache.
inline constexpr std::int64_t block_bytes = 4096 * 1024;
// Whatever they hand on, blocks have so many rows; and threads share so many blocks at least.
inline constexpr std::int64_t fewest_block_rows = 12, fewest_blocks = 2;
// A product of its own reads the other factor once for so many rows.
inline constexpr std::int64_t rows_for_panel = 480;
// With so many rows it costs little to read a factor once more for them.
inline constexpr std::int64_t rows_to_read_again = 128;
// With so many columns it costs little to pack a factor of the rows once more for them.
inline constexpr std::int64_t columns_to_pack_again = 64;
// Of a factor that is wide and deep.
inline constexpr std::int64_t most_shared_width = 256;

// Of a GPU: so many rows a block of threads takes, which goes through the columns, so many at a
// time; fewer rows than the least do not fill its tiles.
inline constexpr std::int64_t rows_of_stream = 64, fewest_stream_rows = 16, step_of_stream = 64;
// So many blocks keep a GPU busy. Where there are fewer, kernels apart share the columns as well,
// and are faster than a block that takes many steps alone.
inline constexpr std::int64_t busy_streams = 64, most_lonely_steps = 32;

// Not what runs in order, or combines grid points.
inline bool can_be_piece(const Kernel& kernel) {
  if (kernel.serial || kernel.grid.empty() || !kernel.finish.empty()) return false;
  return std::all_of(kernel.instructions.begin(), kernel.instructions.end(),
                     [](const Instruction& one) {
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

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
