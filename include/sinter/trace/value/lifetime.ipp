#pragma once

#include <pthread.h>  // pthread_getattr_np
#include <algorithm>  // std::find_first_of
#include <array>      // std::array
#include <cstdint>    // std::uintptr_t
#include <cstring>    // std::memcpy
#include <mutex>      // std::lock_guard
#include <new>        // std::bad_alloc

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/trace/value/lifetime.hpp>

namespace sinter::inline SINTER_ABI::detail {

// The number of bytes watched for captured objects, whose types and sizes are unknown.
inline constexpr std::uintptr_t watched_bytes_of_capture = 4096;

struct LifetimeWatch::Watched {
  Subject subject;
  Vector<const void*> addresses;
  Where where;
  Vector<const void*> ended{};  // tensors; guarded by the mutex of the registry
  Atomic<bool> any_ended{false};

  bool covers(const void* tensor) const {
    const auto at = reinterpret_cast<std::uintptr_t>(tensor);
    for (const void* const address : addresses) {
      const auto begin = reinterpret_cast<std::uintptr_t>(address);
      const std::uintptr_t size = subject == Subject::module ? 1 : watched_bytes_of_capture;
      if (at >= begin && at - begin < size) return true;
    }
    return false;
  }
};

// All watches. `pages_` counts, by a hash of the page of memory, what is watched in it, so that the
// ends of other tensors cost one load.
class LifetimeRegistry {
 public:
  using Watched = LifetimeWatch::Watched;

  static LifetimeRegistry& instance() {
    static auto& registry = *new LifetimeRegistry;
    return registry;
  }

  void add(Watched& watched) {
    const std::lock_guard lock(mutex_);
    list_.push_back(&watched);
    count(watched, 1);
    tensors_are_watched.store(true, MemoryOrder::relaxed);
  }
  void remove(Watched& watched) {
    const std::lock_guard lock(mutex_);
    list_.erase(find(list_, &watched));
    count(watched, -1);
  }
  // On allocation failure, nothing is noted.
  void note(const void* tensor, bool has_ended) noexcept try {
    if (page(tensor).load(MemoryOrder::relaxed) == 0) return;
    const std::lock_guard lock(mutex_);
    for (Watched* const watched : list_) {
      if (!watched->covers(tensor)) continue;
      erase_if(watched->ended, [&](const void* ended) { return ended == tensor; });
      if (has_ended) watched->ended.push_back(tensor);
      watched->any_ended.store(!watched->ended.empty(), MemoryOrder::release);
    }
  } catch (const std::bad_alloc&) {
  }
  bool has_ended(const Watched& watched, Span<const void* const> tensors) {
    const std::lock_guard lock(mutex_);
    return std::find_first_of(watched.ended.begin(), watched.ended.end(), tensors.begin(),
                              tensors.end()) != watched.ended.end();
  }

 private:
  static constexpr std::uintptr_t page_bytes = 4096;

  Atomic<int>& page(const void* address) {
    return pages_[reinterpret_cast<std::uintptr_t>(address) / page_bytes % pages_.size()];
  }
  void count(const Watched& watched, int change) {
    for (const void* const address : watched.addresses) {
      page(address).fetch_add(change, MemoryOrder::relaxed);
      if (watched.subject == LifetimeWatch::Subject::module) continue;
      page(static_cast<const char*>(address) + watched_bytes_of_capture - 1)
          .fetch_add(change, MemoryOrder::relaxed);
    }
  }

  ProcessMutex mutex_{};
  Vector<Watched*> list_{};
  std::array<Atomic<int>, 4096> pages_{};
};

SINTER_INLINE void note_tensor_begin(void* tensor) noexcept {
  LifetimeRegistry::instance().note(tensor, false);
}
SINTER_INLINE void note_tensor_end(const void* tensor) noexcept {
  LifetimeRegistry::instance().note(tensor, true);
}

SINTER_INLINE LifetimeWatch::LifetimeWatch(Subject subject, Vector<const void*> addresses,
                                           Where where)
    : watched_(new Watched{subject, std::move(addresses), where}) {
  LifetimeRegistry::instance().add(*watched_);
}
SINTER_INLINE LifetimeWatch::~LifetimeWatch() { LifetimeRegistry::instance().remove(*watched_); }

SINTER_INLINE void LifetimeWatch::require_alive() const {
  if (watched_->subject == Subject::module) require_alive(watched_->addresses);
}

SINTER_INLINE bool LifetimeWatch::captures(const void* address) const {
  const auto& all = watched_->addresses;
  return contains(all, address);
}

SINTER_INLINE void LifetimeWatch::require_alive(Span<const void* const> tensors) const {
  if (!watched_->any_ended.load(MemoryOrder::acquire)) return;
  if (LifetimeRegistry::instance().has_ended(*watched_, tensors)) throw_ended();
}

SINTER_INLINE void LifetimeWatch::throw_ended() const {
  const bool is_module = watched_->subject == Subject::module;
  throw ValueError(
      {.op = "compile",
       .what = is_module ? "the module that the compiled function refers to has ended"
                         : "a variable that the function captures by reference has ended",
       .rule = is_module ? "compile(module) keeps a reference to a variable; the module must stay "
                           "where it is as long as the compiled function is called"
                         : "what a lambda captures by reference must live as long as the compiled "
                           "function is called",
       .fix = is_module
                  ? "let the compiled function own the module: compile(std::move(module)), or "
                    "compile(Module()); compile elements of a vector when it has all of them"
                  : "capture it by value, or pass it as an argument",
       .where = watched_->where});
}

// The address range of this thread's stack; empty if unknown.
struct StackOfThread {
  std::uintptr_t begin = 0, end = 0;
};

SINTER_INLINE StackOfThread stack_of_thread() {
  static thread_local StackOfThread stack;
  if (stack.end != 0) return stack;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* begin = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &begin, &bytes) == 0) {
    stack.begin = reinterpret_cast<std::uintptr_t>(begin);
    stack.end = stack.begin + bytes;
  }
  pthread_attr_destroy(&attributes);
  return stack;
}

SINTER_INLINE Vector<const void*> captured_locals(const void* closure, std::size_t bytes) {
  constexpr std::size_t most = 64;  // captures
  const StackOfThread stack = stack_of_thread();
  const auto own = reinterpret_cast<std::uintptr_t>(closure);
  Vector<const void*> result;
  for (std::size_t at = 0; at + sizeof(void*) <= bytes && at / sizeof(void*) < most;
       at += sizeof(void*)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, static_cast<const char*>(closure) + at, sizeof(word));
    const bool is_local = word >= stack.begin && word < stack.end;
    const bool is_own = word >= own && word < own + bytes;
    if (is_local && !is_own && word % alignof(void*) == 0) {
      result.push_back(reinterpret_cast<const void*>(word));
    }
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail
