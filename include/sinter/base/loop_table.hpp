#pragma once
// The memory layout shared by generated kernels and the runtime for loops controlled on the GPU.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::uint64_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// 8-byte words in GPU memory that describe where a loop finds its data; most are indices of other
/// words. The head comes first: two counts, the location of the number of steps, the location of
/// the step counter, and whether the loop runs in reverse. Then the words of State for each state,
/// and those of Sequence for each scanned or stacked sequence.
struct LoopTable {
  enum Head : std::size_t { states, sequences, length, counter, reverse, head_words };
  enum State : std::size_t { source, result, other, current, next, state_bytes, state_words };
  enum Sequence : std::size_t { first, step_bytes, position, sequence_words };

  static constexpr std::size_t fault_bytes = 64;  ///< From the Fault of a launch to the next one.
  static constexpr std::uint64_t no_length = ~std::uint64_t{0};  ///< Of a while_loop.
};

/// The control kernels, in order.
enum class ControlKernel : std::size_t { decide, enter, step, finish, count };

}  // namespace sinter::inline SINTER_ABI::detail
