#pragma once
// Injects allocation failures, for tests.

#include <atomic>   // std::atomic
#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// While it lives, the allocation of this process after `allocations` others fails as if memory ran
/// out. One instance at a time.
class ScopedAllocationFailure {
 public:
  explicit ScopedAllocationFailure(std::int64_t allocations);
  ScopedAllocationFailure(const ScopedAllocationFailure&) = delete;
  ScopedAllocationFailure& operator=(const ScopedAllocationFailure&) = delete;
  ~ScopedAllocationFailure();

  /// True if the failure occurred; false if there were not enough allocations.
  bool happened() const;
};

// Allocations until one fails, including that one; 0 or less for none.
inline std::atomic<std::int64_t> allocations_until_failure{0};

// Counts an allocation; true if it has to fail.
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
