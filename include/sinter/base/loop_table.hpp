#pragma once
// What generated kernels and the runtime agree on about loops that a GPU runs by itself.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::uint64_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Words of 8 bytes, in memory of a GPU, that say where a loop finds what it needs; most are
/// numbers of other words. The head comes first: two counts, then where the number of steps is, and
/// where the steps done are counted, and whether they go from the last to the first. For each state
/// those of State follow, then for each sequence that is scanned or stacked those of Sequence.
struct LoopTable {
  enum Head : std::size_t { states, sequences, length, counter, reverse, head_words };
  enum State : std::size_t { source, result, other, current, next, state_bytes, state_words };
  enum Sequence : std::size_t { first, step_bytes, position, sequence_words };

  static constexpr std::size_t fault_bytes = 64;  ///< From the Fault of a launch to the next one.
  static constexpr std::uint64_t no_length = ~std::uint64_t{0};  ///< Of a while_loop.
};

/// The kernels that take decisions, in their order.
enum class ControlKernel : std::size_t { decide, enter, step, finish, count };

}  // namespace sinter::inline SINTER_ABI::detail
