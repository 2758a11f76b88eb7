#pragma once

#include <fcntl.h>        // O_RDONLY, O_WRONLY
#include <poll.h>         // poll
#include <signal.h>       // kill, sigemptyset
#include <spawn.h>        // posix_spawnp
#include <sys/syscall.h>  // SYS_pidfd_open
#include <sys/wait.h>     // waitpid
#include <unistd.h>       // environ, syscall

#include <algorithm>  // std::clamp
#include <cerrno>     // errno
#include <chrono>     // std::chrono::steady_clock
#include <cstring>    // strsignal
#include <thread>     // std::this_thread::sleep_for

#include <sinter/base/container/vector.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/host/process.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

SINTER_INLINE int status_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

// Resets blocked and ignored signals in the child.
struct SpawnAttributes {
  SpawnAttributes() {
    posix_spawnattr_init(&value);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&value, &none);
    posix_spawnattr_setsigdefault(&value, &all);
    posix_spawnattr_setflags(&value, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&value); }
  posix_spawnattr_t value;
};

struct SpawnActions {
  explicit SpawnActions(const StandardStreams& streams) {
    posix_spawn_file_actions_init(&value);
    connect(streams.in, 0, O_RDONLY);
    connect(streams.out, 1, O_WRONLY);
    connect(streams.err, 2, O_WRONLY);
  }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&value); }
  void connect(int from, int to, int mode) {
    if (from >= 0) {
      posix_spawn_file_actions_adddup2(&value, from, to);
    } else {
      posix_spawn_file_actions_addopen(&value, to, "/dev/null", mode, 0);
    }
  }
  posix_spawn_file_actions_t value;
};

// A pidfd, which becomes readable when the process ends; empty if the system has none.
SINTER_INLINE File end_of(int process) {
#ifdef SYS_pidfd_open
  return File(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
#else
  static_cast<void>(process);
  return {};
#endif
}

// Waits for the end of the process, at most for `left`; may return early.
SINTER_INLINE void wait_for_end(const File& end, std::chrono::microseconds waited,
                                std::chrono::microseconds left) {
  using std::chrono::microseconds, std::chrono::milliseconds;
  if (end) {
    pollfd event{.fd = end.descriptor(), .events = POLLIN, .revents = 0};
    const auto most = std::clamp(left, microseconds(1'000), microseconds(60'000'000));
    poll(&event, 1, static_cast<int>(std::chrono::duration_cast<milliseconds>(most).count()));
  } else {
    // Poll at intervals of 1/64 of the time waited: few wakeups, and little delay.
    std::this_thread::sleep_for(std::clamp(waited / 64, microseconds(50), microseconds(10'000)));
  }
}

}  // namespace detail

SINTER_INLINE Process::Process(const std::vector<std::string>& arguments,
                               const StandardStreams& streams) {
  Vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.data()));
  words.push_back(nullptr);

  const detail::SpawnActions actions(streams);
  const detail::SpawnAttributes attributes;
  pid_t id = -1;
  if (posix_spawnp(&id, words[0], &actions.value, &attributes.value, words.data(), environ) == 0) {
    id_ = id;
  }
}

SINTER_INLINE Process::~Process() {
  if (id_ < 0) return;
  kill(id_, SIGKILL);
  wait();
}

SINTER_INLINE int Process::wait() {
  int status = 0;
  while (id_ >= 0) {
    const pid_t ended = waitpid(id_, &status, 0);
    if (ended < 0 && errno == EINTR) continue;
    // A program that ignores SIGCHLD gets no status: assume success, and check the output.
    status_ = ended < 0 ? 0 : detail::status_of(status);
    id_ = -1;
  }
  return status_;
}

SINTER_INLINE Optional<int> Process::wait_for(std::int64_t milliseconds) {
  using std::chrono::microseconds, std::chrono::steady_clock;
  const auto start = steady_clock::now();
  const File end = id_ >= 0 ? detail::end_of(id_) : File();
  while (id_ >= 0) {
    int status = 0;
    const pid_t ended = waitpid(id_, &status, WNOHANG);
    if (ended == 0) {
      const auto waited = std::chrono::duration_cast<microseconds>(steady_clock::now() - start);
      const auto left = std::chrono::milliseconds(milliseconds) - waited;
      if (left < microseconds(0)) return std::nullopt;
      detail::wait_for_end(end, waited, left);
    } else if (ended > 0 || errno != EINTR) {
      status_ = ended < 0 ? 0 : detail::status_of(status);
      id_ = -1;
    }
  }
  return status_;
}

SINTER_INLINE std::string status_text(int status) {
  if (status <= 128) return text("status ", status);
  const char* const name = strsignal(status - 128);
  return text("signal ", status - 128, " (", name == nullptr ? "?" : name, ")");
}

SINTER_INLINE ProcessResult run(const std::vector<std::string>& arguments,
                                std::int64_t milliseconds) {
  const File output = anonymous_file();
  if (!output) return {};
  ProcessResult result;
  const int descriptor = output.descriptor();
  Process process(arguments, {.out = descriptor, .err = descriptor});
  result.status = process.wait_for(milliseconds).value_or(128 + SIGKILL);
  result.output = read_all(output).value_or("");
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
