#pragma once
// Runs compilers, assemblers and linkers as child processes, without a shell.

#include <cstdint>  // std::int64_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/container/optional.hpp>
#include <sinter/compile/unit/temporary_file.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// The standard streams of a child process; -1 is /dev/null.
struct StandardStreams {
  int in = -1;
  int out = -1;
  int err = -1;
};

/// A child process; the destructor kills it if it still runs.
class Process {
 public:
  /// Starts `arguments[0]`, a path or a name on PATH.
  Process(const std::vector<std::string>& arguments, const StandardStreams& streams);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  /// Waits for its end; returns the exit status, 127 if it could not be started.
  int wait();
  /// The same; nullopt if it still runs after `milliseconds`.
  Optional<int> wait_for(std::int64_t milliseconds);

 private:
  int id_ = -1;
  int status_ = 127;
};

struct ProcessResult {
  int status = 127;
  std::string output{};
};

/// "status 1", or "signal 11 (Segmentation fault)", for messages.
std::string status_text(int status);

/// Runs a program without input and returns its status and output (stdout and stderr). It is killed
/// if it takes longer than `milliseconds`.
ProcessResult run(const std::vector<std::string>& arguments, std::int64_t milliseconds = 60'000);

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/host/process.ipp>
#endif
