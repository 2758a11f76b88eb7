#pragma once
// Child processes: runs this program or another, and returns what it printed.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace bench {

struct Finished {
  bool ok = false;
  std::string output{};
  double processor_seconds = 0;  ///< User and system, of its own children as well.
};

/// Runs `command`, whose first word is the path of a program, and waits for its end.
inline Finished run_child(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t process = fork();
  if (process == 0) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    dup2(ends[1], 1);
    close(ends[0]);
    close(ends[1]);
    execvp(words[0], words.data());
    _exit(127);
  }
  close(ends[1]);
  Finished result;
  char part[4096];
  for (ssize_t size; (size = read(ends[0], part, sizeof(part))) > 0;) {
    result.output.append(part, static_cast<std::size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(process, &status, 0, &usage);
  result.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  result.processor_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  return result;
}

}  // namespace bench
