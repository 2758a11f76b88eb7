#pragma once
// Threads of the library that no signal of the program interrupts.

#include <signal.h>  // pthread_sigmask

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

/// While it lives, this thread, and those that it starts, get no signals: these are for the
/// threads of the user's program, whose handlers may not expect others.
struct ScopedNoSignals {
  ScopedNoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~ScopedNoSignals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  sigset_t before{};
};

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::runtime
