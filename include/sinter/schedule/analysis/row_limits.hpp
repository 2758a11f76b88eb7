#pragma once
// Which kernels can be row-tiled, and which streaming kernels keep a GPU busy.

#include <cstdint>    // std::int64_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/symbol/extent/arithmetic.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

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

// The most iterations of a nest of `loops`.
inline std::int64_t most_iterations(const Vector<Loop>& loops) {
  std::int64_t result = 1;
  for (const Loop& loop : loops) result = times(result, bounds(loop.extent).max);
  return result;
}

// The thread blocks of a streaming kernel of `rows` rows for each of `batches`.
inline std::int64_t streaming_blocks(std::int64_t batches, std::int64_t rows,
                                     const StreamingLimits& limits) {
  return times(batches, 1 + (rows - 1) / limits.rows);
}

// Whether a streaming kernel of `rows` rows and `columns` columns for each of `batches` keeps a GPU
// busy.
inline bool has_busy_streaming_blocks(std::int64_t batches, std::int64_t rows, std::int64_t columns,
                                      const StreamingLimits& limits) {
  if (rows < limits.fewest_rows) return false;
  return streaming_blocks(batches, rows, limits) >= limits.busy_blocks ||
         columns / limits.step <= limits.most_steps;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
