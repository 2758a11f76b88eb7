#pragma once
// Mutexes that fork() does not leave locked, so that the child of a process with threads goes on.

#include <mutex>  // std::mutex, std::recursive_mutex
#include <new>    // placement new

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

/// What has to be quiet while the process forks. All that live are in one list.
class QuietAtFork {
 public:
  QuietAtFork();
  QuietAtFork(const QuietAtFork&) = delete;
  QuietAtFork& operator=(const QuietAtFork&) = delete;

  /// False if it is not quiet now.
  virtual bool begin_fork() = 0;
  virtual void end_fork() = 0;
  virtual void end_fork_in_child() = 0;

 protected:
  ~QuietAtFork();

 private:
  friend class ForkList;

  QuietAtFork* previous_ = nullptr;
  QuietAtFork* next_ = nullptr;
};

/// A mutex that no other thread holds while this process forks. Who holds it does not fork.
template <class Mutex>
class BasicProcessMutex final : private QuietAtFork {
 public:
  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  bool begin_fork() override { return mutex_.try_lock(); }
  void end_fork() override { mutex_.unlock(); }
  // The thread that locked it has another number now, so that it could not unlock it.
  void end_fork_in_child() override { new (&mutex_) Mutex; }

  Mutex mutex_;
};
using ProcessMutex = BasicProcessMutex<std::mutex>;
using RecursiveProcessMutex = BasicProcessMutex<std::recursive_mutex>;

/// How many forks there are between the first process and this one. What threads of a parent began
/// is not gone on with in its child.
int forks();

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/base/process_mutex.ipp>
#endif
