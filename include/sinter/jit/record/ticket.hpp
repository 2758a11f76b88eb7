#pragma once
// Single-flight tickets: the thread that holds the ticket of a key does the work, and the others
// wait and find it done. Each signature is recorded once and each graph compiled once, while other
// keys proceed.

#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The keys whose tickets are taken.
class Tickets {
 public:
  Tickets();
  ~Tickets();
  Tickets(const Tickets&) = delete;
  Tickets& operator=(const Tickets&) = delete;

  /// Waits until the ticket of `key` is free, and takes it.
  void take(const Hash& key);
  void release(const Hash& key);

 private:
  struct Keys;

  ProcessMutex mutex_;
  UniquePtr<Keys> keys_;
};

/// Holds the ticket of one key during its lifetime.
class Ticket {
 public:
  Ticket(Tickets& tickets, const Hash& key) : tickets_(&tickets), key_(key) { tickets.take(key); }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;
  ~Ticket() { end(); }

  /// Releases the ticket early.
  void end();

 private:
  Tickets* tickets_;
  Hash key_;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/record/ticket.ipp>
#endif
