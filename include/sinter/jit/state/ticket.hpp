#pragma once
// Turns at work that one thread does and others then find done: a signature is recorded once, a
// graph compiled once, while other signatures and graphs go on.

#include <memory>  // std::unique_ptr

#include <sinter/base/hash.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Who works on which key.
class Turns {
 public:
  Turns();
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// Waits until nobody has `key`, and takes it.
  void take(const Hash& key);
  void release(const Hash& key);

 private:
  struct Keys;

  ProcessMutex mutex_;
  std::unique_ptr<Keys> keys_;
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

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/ticket.ipp>
#endif
