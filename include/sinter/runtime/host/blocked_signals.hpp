#pragma once
// Blocks signals for the threads that the library starts.

#include <signal.h>  // pthread_sigmask

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

/// Blocks all signals for this thread and the threads that it starts, so that the handlers of the
/// user's program run on the program's own threads only.
struct ScopedBlockedSignals {
  ScopedBlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~ScopedBlockedSignals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  sigset_t before{};
};

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::runtime
