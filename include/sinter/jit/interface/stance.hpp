#pragma once
// Stances: what calls of compiled functions do when they would have to compile.

#include <cstdint>  // std::uint8_t
#include <utility>  // std::exchange

#include <sinter/base/container/atomic.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

enum class Stance : std::uint8_t {
  standard,            ///< Compile when needed.
  force_eager,         ///< Run every function without compiled code.
  eager_on_recompile,  ///< The first call compiles; others that would have to, run eagerly.
  fail_on_recompile,   ///< The first call compiles; others that would have to, throw.
  force_compiled       ///< Throw instead of interpreting: see CompileOptions::force_compiled.
};

namespace detail {

inline Atomic<Stance>& stance_of_process() {
  static constinit Atomic<Stance> stance{Stance::standard};
  return stance;
}

// The innermost ScopedStance of this thread; -1 if there is none.
inline thread_local int stance_of_thread = -1;

}  // namespace detail

/// Sets the stance of all threads that are not in a ScopedStance.
inline void set_stance(Stance stance) {
  detail::stance_of_process().store(stance, detail::MemoryOrder::relaxed);
}

/// The current stance of this thread.
inline Stance current_stance() {
  const int scoped = detail::stance_of_thread;
  return scoped >= 0 ? static_cast<Stance>(scoped)
                     : detail::stance_of_process().load(detail::MemoryOrder::relaxed);
}

/// Sets the stance of this thread during its lifetime.
class ScopedStance {
 public:
  explicit ScopedStance(Stance stance)
      : outer_(std::exchange(detail::stance_of_thread, static_cast<int>(stance))) {}
  ScopedStance(const ScopedStance&) = delete;
  ScopedStance& operator=(const ScopedStance&) = delete;
  ~ScopedStance() { detail::stance_of_thread = outer_; }

 private:
  int outer_;
};

}  // namespace sinter::inline SINTER_ABI
