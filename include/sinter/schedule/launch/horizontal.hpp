#pragma once
// Which kernels are launched as one: independent ones of one text, and what one thread adds.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/launch/dependences.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A kernel that is ready to be launched.
struct Candidate {
  Hash text{};               ///< Equal for those that could have one text.
  bool is_joinable = false;  ///< May run beside others: its data cannot be at fault.
  bool is_small = false;     ///< It keeps little in the arena: it may wait for others.
  bool is_alone = false;     ///< Only one thread can do it.
  Extent work = 0;           ///< Innermost iterations.
  Extent steps = 0;          ///< What these take: see steps_of().
  Extent held = 0;           ///< Bytes of the arena that nothing needs after it.
};

/// Kernels that are launched as one. Those `together` are independent of each other; one thread
/// runs those `before` all of them, in order, and one those `after` all of them.
struct Batch {
  std::vector<std::size_t> before{}, together{}, after{};
};

/// All `kernels`, which are in an order that is right, as batches in such an order: those of one
/// text that nothing depends on, or that depend on chains of kernels of the same length. What one
/// thread does and is little beside the work of all is part of a batch next to it. Of kernels on
/// which chains of `most_tail` others or fewer depend, those with chains of the same length may be
/// a batch as well: as far as it makes the fewest.
std::vector<Batch> batches(std::span<const Candidate> kernels, const Dependences& dependences,
                           std::size_t most_tail = 0);

namespace detail {

/// Whether `extent` is a number that is no larger than `most`.
bool is_at_most(Extent extent, std::int64_t most);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/horizontal.ipp>
#endif
