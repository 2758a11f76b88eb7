#include <doctest/doctest.h>

#include <thread>

#include <signal.h>

#include <sinter/runtime/host/blocked_signals.hpp>

namespace {

bool is_blocked(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

}  // namespace

TEST_CASE("blocked_signals: threads started in the scope get no signals, earlier ones do") {
  CHECK_FALSE(is_blocked(SIGUSR1));
  bool in_thread = false;
  {
    const sinter::detail::runtime::detail::ScopedBlockedSignals scoped;
    CHECK(is_blocked(SIGUSR1));
    CHECK(is_blocked(SIGINT));
    std::thread([&] { in_thread = is_blocked(SIGUSR1); }).join();
  }
  CHECK(in_thread);
  CHECK_FALSE(is_blocked(SIGUSR1));
}
