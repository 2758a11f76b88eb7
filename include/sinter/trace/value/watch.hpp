#pragma once
// Watches values that are known by address only: counts their destruction, so that another value at
// the same address is not mistaken for them.

#include <cstdint>  // std::uint64_t

#include <sinter/base/container/atomic.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/value/lazy.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The number of watched values destroyed in this process. While it is unchanged, the address of a
/// watched value still identifies it.
inline std::uint64_t watch_count() { return detail::ended_watches().load(MemoryOrder::acquire); }

/// Starts counting the destruction of `lazy`.
inline void watch(Lazy& lazy) { lazy.is_watched.store(true, MemoryOrder::relaxed); }

}  // namespace sinter::inline SINTER_ABI::detail
