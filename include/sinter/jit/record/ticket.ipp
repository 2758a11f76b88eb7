#pragma once

#include <condition_variable>  // std::condition_variable_any
#include <mutex>               // std::unique_lock
#include <new>                 // placement new
#include <utility>             // std::exchange

#include <sinter/base/container/hash_map.hpp>
#include <sinter/jit/record/ticket.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

// The taken keys. Not in the header, so that users do not include <condition_variable>.
struct Tickets::Keys {
  HashSet<Hash, HashOfHash> taken{};
  std::condition_variable_any released{};
  int forks = 0;  // value of forks() when they were taken
};

SINTER_INLINE Tickets::Tickets() : keys_(make_unique_ptr<Keys>()) {}
SINTER_INLINE Tickets::~Tickets() = default;

SINTER_INLINE void Tickets::take(const Hash& key) {
  std::unique_lock lock(mutex_);
  if (std::exchange(keys_->forks, forks()) !=
      forks()) {  // taken by threads that do not exist in the child
    keys_->taken.clear();
    new (&keys_->released) std::condition_variable_any;
  }
  keys_->released.wait(lock, [&] { return keys_->taken.insert(key).second; });
}

SINTER_INLINE void Tickets::release(const Hash& key) {
  {
    const std::lock_guard lock(mutex_);
    keys_->taken.erase(key);
  }
  keys_->released.notify_all();
}

SINTER_INLINE void Ticket::end() {
  if (Tickets* const tickets = std::exchange(tickets_, nullptr)) tickets->release(key_);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
