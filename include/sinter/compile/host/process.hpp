#pragma once
// Running other programs, without a shell: compilers, assemblers and linkers.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional
#include <string>    // std::string
#include <vector>    // std::vector

#include <sinter/compile/unit/temporary_file.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// Where a program reads and writes; -1 is /dev/null.
struct StandardStreams {
  int in = -1;
  int out = -1;
  int err = -1;
};

/// A program that was started; killed, if it still runs, at the end.
class Process {
 public:
  /// Starts `arguments[0]`, a path or a name on PATH.
  Process(const std::vector<std::string>& arguments, const StandardStreams& streams);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  /// Its exit status when it has ended: 0 is success, 127 if it could not be started.
  int wait();
  /// The same, or nothing if it still runs after `milliseconds`.
  std::optional<int> wait_for(std::int64_t milliseconds);

 private:
  int id_ = -1;
  int status_ = 127;
};

struct ProcessResult {
  int status = 127;
  std::string output{};
};

/// "status 1", or "signal 11 (Segmentation fault)", for people.
std::string status_text(int status);

/// Runs a program to its end, with nothing to read; gives what it wrote on either stream. One that
/// takes longer than `milliseconds` is killed.
ProcessResult run(const std::vector<std::string>& arguments, std::int64_t milliseconds = 60'000);

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/host/process.ipp>
#endif
