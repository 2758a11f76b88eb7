#pragma once
// Turns at work that one thread does and others then find done: a signature is recorded once, a
// graph compiled once, while other signatures and graphs go on.

#include <condition_variable>  // std::condition_variable_any
#include <mutex>               // std::mutex
#include <unordered_set>       // std::unordered_set

#include <sinter/base/hash.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::jit {

/// Who works on which key.
class Turns {
 public:
  /// Waits until nobody has `key`, and takes it.
  void take(const Hash& key);
  void release(const Hash& key);

 private:
  ProcessMutex mutex_;
  std::condition_variable_any released_;
  std::unordered_set<Hash, HashOfHash> taken_;
  int forks_ = 0;  // when they were taken
};

/// The turn at one key, for the life of this object.
class Turn {
 public:
  Turn(Turns& turns, const Hash& key) : turns_(&turns), key_(key) { turns.take(key); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { end(); }

  /// Lets others have it before.
  void end();

 private:
  Turns* turns_;
  Hash key_;
};

}  // namespace sinter::inline SINTER_ABI::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/turns.ipp>
#endif
