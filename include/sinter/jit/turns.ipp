#pragma once

#include <new>      // placement new
#include <utility>  // std::exchange

#include <sinter/jit/turns.hpp>

namespace sinter::inline SINTER_ABI::jit {

SINTER_INLINE void Turns::take(const Hash& key) {
  std::unique_lock lock(mutex_);
  if (std::exchange(forks_, forks()) != forks()) {  // by threads that the child does not have
    taken_.clear();
    new (&released_) std::condition_variable_any;
  }
  released_.wait(lock, [&] { return taken_.insert(key).second; });
}

SINTER_INLINE void Turns::release(const Hash& key) {
  {
    const std::lock_guard lock(mutex_);
    taken_.erase(key);
  }
  released_.notify_all();
}

SINTER_INLINE void Turn::end() {
  if (Turns* const turns = std::exchange(turns_, nullptr)) turns->release(key_);
}

}  // namespace sinter::inline SINTER_ABI::jit
