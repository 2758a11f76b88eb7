#pragma once
// Which kernels ran, when and in which threads, while somebody profiles them.
//
// Nobody does otherwise, and replay pays one load of a flag.

#include <atomic>   // std::atomic
#include <cstdint>  // std::int64_t
#include <span>     // std::span
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/process_mutex.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

namespace compiler {
class Module;
}  // namespace compiler

namespace schedule {
struct Launch;
}  // namespace schedule

namespace runtime {

/// One run of a kernel.
struct WatchedRun {
  std::string kernel{};  ///< The name of its function, and how many others run with it.
  std::int64_t bytes_read = 0, bytes_written = 0;
  std::int64_t operations = 0;  ///< See schedule::Launch.
  std::vector<Where> lines{};
};

/// The part of one thread in a run; nanoseconds of watch_time().
struct WatchedPart {
  std::size_t run = 0;  ///< In Watched::runs; while it is noted, what announce() gave.
  int thread = 0;       ///< Of the team; 0 called.
  std::int64_t start = 0, end = 0;
  int gpu = -1;  ///< The index of the one that ran it; -1 for the host.
};

/// In the order in which runs were announced, and parts ended.
struct Watched {
  std::vector<WatchedRun> runs{};
  std::vector<WatchedPart> parts{};
};

/// What Watch is told of a run of a kernel of `module`, or of all that share a launch.
WatchedRun watched_run(const compiler::Module& module, const schedule::Launch& launch,
                       std::span<const std::int64_t> symbols);

/// Nanoseconds of a clock that never goes back.
std::int64_t watch_time();

/// What all executables of the process report to, from start() to stop().
class Watch {
 public:
  static Watch& process();

  /// Replay asks this before it runs kernels.
  static bool is_on() { return flag().load(std::memory_order_relaxed); }

  /// False if somebody watches already.
  bool start();
  /// Forgets what was seen since start().
  void clear();
  /// What was seen since start().
  Watched stop();

  /// A run that is about to start; gives its number. Makes room for its parts, so that threads that
  /// run kernels do not allocate.
  std::size_t announce(WatchedRun run);
  /// Drops what there is no room for.
  void note(const WatchedPart& part);

 private:
  static std::atomic<bool>& flag() {
    static constinit std::atomic<bool> on{false};
    return on;
  }

  ProcessMutex mutex_;
  Watched seen_{};
  std::size_t first_ = 0;  // the number of the first run that was seen since start()
};

}  // namespace runtime

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/profiler.ipp>
#endif
