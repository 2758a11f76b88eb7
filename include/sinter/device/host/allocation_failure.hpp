#pragma once
// Lack of memory on demand, so that tests can see what a program does about it.

#include <atomic>   // std::atomic
#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// While it lives, one allocation of the process fails as if there were no memory: the one that
/// comes after `allocations` others. For tests; one at a time.
class ScopedAllocationFailure {
 public:
  explicit ScopedAllocationFailure(std::int64_t allocations);
  ScopedAllocationFailure(const ScopedAllocationFailure&) = delete;
  ScopedAllocationFailure& operator=(const ScopedAllocationFailure&) = delete;
  ~ScopedAllocationFailure();

  /// True if it has failed; false if so many allocations were not asked for.
  bool happened() const;
};

// Allocations until one fails, that one included; 0 or less if none will.
inline std::atomic<std::int64_t> allocations_until_failure{0};

// Counts an allocation; true if it is the one that fails.
inline bool allocation_fails() {
  return allocations_until_failure.load(std::memory_order_relaxed) > 0 &&
         allocations_until_failure.fetch_sub(1, std::memory_order_relaxed) == 1;
}

inline ScopedAllocationFailure::ScopedAllocationFailure(std::int64_t allocations) {
  detail::allocations_until_failure = allocations + 1;
}

inline ScopedAllocationFailure::~ScopedAllocationFailure() {
  detail::allocations_until_failure = 0;
}

inline bool ScopedAllocationFailure::happened() const {
  return detail::allocations_until_failure <= 0;
}

}  // namespace sinter::inline SINTER_ABI::detail
