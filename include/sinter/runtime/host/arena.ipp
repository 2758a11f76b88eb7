#pragma once

#include <sinter/runtime/host/arena.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {
inline constexpr std::string_view arena_purpose = "intermediate values";
}

SINTER_INLINE ArenaPool::Arena ArenaPool::take(std::size_t bytes, Where where) {
  for (Slot& slot : slots_) {
    if (slot.taken.load(std::memory_order_relaxed)) continue;
    if (slot.taken.exchange(true, std::memory_order_acquire)) continue;
    if (slot.storage.bytes() < bytes || !slot.storage) {
      slot.storage = Storage();  // freed first, so that both blocks are never live at once
      try {
        slot.storage = Storage::allocate(bytes, cpu(), where, detail::arena_purpose);
      } catch (...) {
        slot.taken.store(false, std::memory_order_release);
        throw;
      }
    }
    return Arena(&slot, Storage(), slot.storage.data());
  }
  Storage own = Storage::allocate(bytes, cpu(), where, detail::arena_purpose);
  void* const start = own.data();
  return Arena(nullptr, std::move(own), start);
}

SINTER_INLINE void ArenaPool::release() {
  for (Slot& slot : slots_) {
    if (slot.taken.exchange(true, std::memory_order_acquire)) continue;
    slot.storage = Storage();
    slot.taken.store(false, std::memory_order_release);
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
