#pragma once

#include <condition_variable>  // std::condition_variable_any
#include <mutex>               // std::unique_lock
#include <new>                 // placement new
#include <unordered_set>       // std::unordered_set
#include <utility>             // std::exchange

#include <sinter/jit/state/ticket.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

// The keys that are taken. Users do not wait for the headers of this to be compiled.
struct Turns::Keys {
  std::unordered_set<Hash, HashOfHash> taken{};
  std::condition_variable_any released{};
  int forks = 0;  // when they were taken
};

SINTER_INLINE Turns::Turns() : keys_(std::make_unique<Keys>()) {}
SINTER_INLINE Turns::~Turns() = default;

SINTER_INLINE void Turns::take(const Hash& key) {
  std::unique_lock lock(mutex_);
  if (std::exchange(keys_->forks, forks()) != forks()) {  // by threads that the child has not
    keys_->taken.clear();
    new (&keys_->released) std::condition_variable_any;
  }
  keys_->released.wait(lock, [&] { return keys_->taken.insert(key).second; });
}

SINTER_INLINE void Turns::release(const Hash& key) {
  {
    const std::lock_guard lock(mutex_);
    keys_->taken.erase(key);
  }
  keys_->released.notify_all();
}

SINTER_INLINE void Turn::end() {
  if (Turns* const turns = std::exchange(turns_, nullptr)) turns->release(key_);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
