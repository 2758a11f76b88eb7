#pragma once

#include <signal.h>    // signal
#include <sys/wait.h>  // waitpid
#include <unistd.h>    // fork, pipe

#include <exception>  // std::exception

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/debug/fault/child.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

[[noreturn]] SINTER_INLINE void run_as_child(FunctionRef<std::string()> run, int pipe) {
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) signal(number, SIG_DFL);
  alarm(300);
  std::string result;
  try {
    result = run();
  } catch (const std::exception& error) {
    result = error.what();
  }
  for (std::size_t done = 0; done < result.size();) {
    const ssize_t written = ::write(pipe, result.data() + done, result.size() - done);
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  _exit(0);
}

}  // namespace detail

SINTER_INLINE std::string in_child(FunctionRef<std::string()> run) {
  int ends[2];
  if (pipe(ends) != 0) throw InternalError("minify: no pipe");
  const pid_t child = fork();
  if (child < 0) throw InternalError("minify: no process");
  if (child == 0) {
    close(ends[0]);
    detail::run_as_child(run, ends[1]);
  }
  close(ends[1]);
  std::string result;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof(buffer))) > 0;) {
    result.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? text("signal ", WTERMSIG(status)) : result;
}

SINTER_INLINE bool is_crash(const std::string& text) { return text.starts_with("signal "); }

}  // namespace sinter::inline SINTER_ABI::detail::debug
