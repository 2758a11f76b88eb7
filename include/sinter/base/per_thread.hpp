#pragma once
// Per-thread objects that stay accessible during thread exit.

#include <pthread.h>  // pthread_key_create

#include <utility>  // std::exchange

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Calls `destroy` when a thread ends that has set a value, with that value.
///
/// A destructor of a thread_local object would do, but for shared libraries: one that is registered
/// while the library is unloaded, by the destructors of its static objects, is called later, when
/// the code is no longer there. Keys end with the library.
class ThreadKey {
 public:
  explicit ThreadKey(void (*destroy)(void*)) noexcept
      : destroy_(destroy), is_made_(pthread_key_create(&key_, destroy) == 0) {}
  ~ThreadKey() {  // at exit, or while the library is unloaded
    if (!std::exchange(is_made_, false)) return;
    if (void* const value = pthread_getspecific(key_)) destroy_(value);
    pthread_key_delete(key_);
  }
  ThreadKey(const ThreadKey&) = delete;
  ThreadKey& operator=(const ThreadKey&) = delete;

  void set(void* value) const noexcept {
    if (is_made_) pthread_setspecific(key_, value);
  }

 private:
  pthread_key_t key_{};
  void (*destroy_)(void*);
  bool is_made_;
};

/// The T of this thread, made at its first use; each T has one use.
///
/// It is destroyed when the thread ends. Destructors that run after that (those of static objects,
/// and of other objects of the thread) make another one, which may never be destroyed.
template <class T>
T& per_thread() {
  static thread_local T* object = nullptr;  // without a destructor, so that it can be read later
  if (object != nullptr) [[likely]] return *object;
  static const detail::ThreadKey key([](void*) { delete std::exchange(object, nullptr); });
  object = new T;
  key.set(object);
  return *object;
}

}  // namespace sinter::inline SINTER_ABI::detail
