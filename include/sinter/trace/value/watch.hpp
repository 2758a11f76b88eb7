#pragma once
// Values that somebody knows by their address without holding them: their end is counted, so that
// another value at the same address is not taken for them.

#include <atomic>   // std::atomic
#include <cstdint>  // std::uint64_t

#include <sinter/config.hpp>
#include <sinter/trace/value/lazy.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// How many watched values have been destroyed in this process. While it is what it was, an address
/// of a watched value means the value that it meant.
inline std::uint64_t watch_count() {
  return detail::ended_watches().load(std::memory_order_acquire);
}

/// From now on, the end of `lazy` is counted.
inline void watch(Lazy& lazy) { lazy.is_watched.store(true, std::memory_order_relaxed); }

}  // namespace sinter::inline SINTER_ABI::detail
