#pragma once
// Memory for the intermediate values of host calls: one arena per running call, pooled per
// executable.

#include <array>    // std::array
#include <atomic>   // std::atomic
#include <cstddef>  // std::size_t, std::byte

#include <sinter/device/host/storage.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Lends an arena to each running call, so that calls may overlap, and reuses it for later calls.
/// Thread-safe. Must outlive the calls.
class ArenaPool {
  struct Slot {
    std::atomic<bool> taken{false};
    Storage storage{};
  };

 public:
  /// A borrowed block; the destructor returns it.
  class Arena {
   public:
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena() {
      if (slot_ != nullptr) slot_->taken.store(false, std::memory_order_release);
    }

    /// The byte at `offset`, an offset that the plan assigned.
    std::byte* at(std::size_t offset) const { return start_ + offset; }
    /// The first byte.
    std::byte* data() const { return start_; }

   private:
    friend class ArenaPool;
    Arena(Slot* slot, Storage own, void* start)
        : slot_(slot), own_(std::move(own)), start_(static_cast<std::byte*>(start)) {}

    Slot* slot_;  // null if the pool had no free slot; then own_ holds the block
    Storage own_;
    std::byte* start_;
  };

  ArenaPool() = default;
  ArenaPool(const ArenaPool&) = delete;
  ArenaPool& operator=(const ArenaPool&) = delete;

  /// An uninitialized block of at least `bytes`, aligned like Storage. Throws ValueError, at the
  /// line of the call, if memory runs out.
  Arena take(std::size_t bytes, Where where = {});

  /// Returns the idle blocks to the allocator; for programs that are no longer used.
  void release();

 private:
  // More concurrent calls than slots are rare; each of them allocates its own block.
  std::array<Slot, 8> slots_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/arena.ipp>
#endif
