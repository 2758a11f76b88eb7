#pragma once
// communication(): the time that a profile shows in collectives, and how much of it is hidden.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {
struct Profile;
}  // namespace detail

/// The collectives of all profiled calls on this rank.
struct Communication {
  double seconds = 0;  ///< While at least one of them ran, or waited for other ranks.
  double exposed = 0;  ///< Of these, while the program waited.
  std::int64_t collectives = 0;
  std::int64_t in_background = 0;  ///< Of these, buckets of gradients and gathered layers.

  /// The share of the seconds in which the program computed: 1 if all are hidden, 0 if none are,
  /// or if there are no collectives.
  double hidden() const { return seconds > 0 ? 1 - exposed / seconds : 0; }
};

/// The communication that `profile` shows: of compiled functions, in this process.
Communication communication(const detail::Profile& profile);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/communication.ipp>
#endif
