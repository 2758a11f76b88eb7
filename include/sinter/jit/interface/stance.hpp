#pragma once
// What calls of compiled functions do where something would have to be compiled anew.

#include <atomic>   // std::atomic
#include <cstdint>  // std::uint8_t
#include <utility>  // std::exchange

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

enum class Stance : std::uint8_t {
  standard,            ///< Compile what is new.
  force_eager,         ///< Run every function as it is written, on the eager backend.
  eager_on_recompile,  ///< Compile what is first; run eagerly what would need another recording.
  fail_on_recompile,   ///< Compile what is first; then throw RecompileLimitError.
  force_compiled       ///< Throw instead of interpreting: see CompileOptions::force_compiled.
};

namespace detail {

inline std::atomic<Stance>& stance_of_process() {
  static constinit std::atomic<Stance> stance{Stance::standard};
  return stance;
}

// Of the innermost ScopedStance of this thread; -1 outside of them.
inline thread_local int stance_of_thread = -1;

}  // namespace detail

/// The stance of all threads, but for those in a ScopedStance.
inline void set_stance(Stance stance) {
  detail::stance_of_process().store(stance, std::memory_order_relaxed);
}

/// The stance of calls that this thread makes now.
inline Stance current_stance() {
  const int scoped = detail::stance_of_thread;
  return scoped >= 0 ? static_cast<Stance>(scoped)
                     : detail::stance_of_process().load(std::memory_order_relaxed);
}

/// The stance of this thread for the life of this object.
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
