#pragma once
// Injects allocation failures, for tests.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/atomic.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

// Allocations until one fails, including that one; 0 or less for none.
inline Atomic<std::int64_t> allocations_until_failure{0};

// Counts an allocation; true if it has to fail.
inline bool allocation_fails() {
  return allocations_until_failure.load(MemoryOrder::relaxed) > 0 &&
         allocations_until_failure.fetch_sub(1, MemoryOrder::relaxed) == 1;
}

/// While it lives, the allocation of this process after `allocations` others fails as if memory ran
/// out. One instance at a time.
class ScopedAllocationFailure {
 public:
  explicit ScopedAllocationFailure(std::int64_t allocations) {
    allocations_until_failure = allocations + 1;
  }
  ScopedAllocationFailure(const ScopedAllocationFailure&) = delete;
  ScopedAllocationFailure& operator=(const ScopedAllocationFailure&) = delete;
  ~ScopedAllocationFailure() { allocations_until_failure = 0; }

  /// True if the failure occurred; false if there were not enough allocations.
  bool happened() const { return allocations_until_failure <= 0; }
};

}  // namespace sinter::inline SINTER_ABI::detail
