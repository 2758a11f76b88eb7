#pragma once
// Memory for what a call computes on the way: one block per call, pooled per recording.

#include <array>    // std::array
#include <atomic>   // std::atomic
#include <cstddef>  // std::size_t, std::byte

#include <sinter/device/host/storage.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Hands a block of memory to each call that runs, so that calls may overlap, and keeps it for the
/// next one. Safe across threads; has to outlive the calls.
class ArenaPool {
  struct Slot {
    std::atomic<bool> taken{false};
    Storage storage{};
  };

 public:
  /// A block on loan, given back at the end.
  class Arena {
   public:
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena() {
      if (slot_ != nullptr) slot_->taken.store(false, std::memory_order_release);
    }

    /// The byte at `offset`, which the plan has chosen.
    std::byte* at(std::size_t offset) const { return start_ + offset; }
    /// The first byte.
    std::byte* data() const { return start_; }

   private:
    friend class ArenaPool;
    Arena(Slot* slot, Storage own, void* start)
        : slot_(slot), own_(std::move(own)), start_(static_cast<std::byte*>(start)) {}

    Slot* slot_;   // null if the block is of this call alone
    Storage own_;  // then this holds it
    std::byte* start_;
  };

  ArenaPool() = default;
  ArenaPool(const ArenaPool&) = delete;
  ArenaPool& operator=(const ArenaPool&) = delete;

  /// A block of at least `bytes`, with any content, aligned as Storage is. ValueError, at the line
  /// of the call, if there is not so much memory.
  Arena take(std::size_t bytes, Where where = {});

  /// Gives the blocks that no call has to the allocator; for recordings that are not used any more.
  void release();

 private:
  // More calls at once than slots are rare, and cost an allocation each.
  std::array<Slot, 8> slots_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/arena.ipp>
#endif
