#pragma once
// Mutexes that fork() does not leave locked, so that the child of a process with threads goes on.

#include <mutex>  // std::mutex, std::recursive_mutex
#include <new>    // placement new

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Registers a subject that must be idle while the process forks, for the life of this object.
class ForkEntry {
 public:
  struct Functions {
    bool (*begin)(void* subject);  ///< False if it is not quiet now.
    void (*end)(void* subject);
    void (*end_in_child)(void* subject);
  };
  ForkEntry(void* subject, const Functions& functions);
  ~ForkEntry();
  ForkEntry(const ForkEntry&) = delete;
  ForkEntry& operator=(const ForkEntry&) = delete;

 private:
  friend class ForkList;

  void* subject_;
  const Functions& functions_;
  ForkEntry* previous_ = nullptr;
  ForkEntry* next_ = nullptr;
};

/// A mutex that no other thread holds while this process forks. Who holds it does not fork.
template <class Mutex>
class BasicProcessMutex {
 public:
  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  // The thread that locked it has another number in the child, so that it could not unlock it.
  static constexpr ForkEntry::Functions functions{
      [](void* mutex) { return static_cast<Mutex*>(mutex)->try_lock(); },
      [](void* mutex) { static_cast<Mutex*>(mutex)->unlock(); },
      [](void* mutex) { new (mutex) Mutex; }};

  Mutex mutex_;
  ForkEntry entry_{&mutex_, functions};
};
using ProcessMutex = BasicProcessMutex<std::mutex>;
using RecursiveProcessMutex = BasicProcessMutex<std::recursive_mutex>;

/// The number of forks between the first process and this one. A child does not continue work that
/// threads of its parent began.
int forks();

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/base/process_mutex.ipp>
#endif
