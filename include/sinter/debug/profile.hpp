#pragma once
// Where the time of a function goes: its kernels, how near each comes to what the machine can do,
// and the lines of the user's program that they compute.

#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <type_traits>  // std::is_invocable_v
#include <vector>       // std::vector

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/debug/roof.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// A kernel in all calls that were profiled. Its time is that from the first thread that starts it
/// to the last that ends it.
struct KernelProfile {
  std::string name{};                              ///< Of its function, as Explanation has it.
  std::int64_t runs = 0;                           ///< In all calls.
  int threads = 1;                                 ///< The most that shared a run.
  int gpu = -1;                                    ///< The last that ran it; -1 for the host.
  double seconds = 0;                              ///< Of all runs, as what follows.
  std::int64_t bytes_read = 0, bytes_written = 0;  ///< Distinct elements of each run.
  std::int64_t operations = 0;                     ///< Floating arithmetic; a multiply-add is two.
  std::vector<Where> lines{};                      ///< Of the user's program.
};

/// A thread, or a GPU, at work on a kernel. Times are seconds since the first call began.
struct KernelEvent {
  std::size_t kernel = 0;  ///< In Profile::kernels.
  int thread = 0;
  double start = 0, end = 0;
  int gpu = -1;  ///< The one at work in place of a thread; -1 for the host.
};

struct CallEvent {
  double start = 0, end = 0;
};

struct Profile {
  std::vector<KernelProfile> kernels{};  ///< The one that took longest first.
  std::vector<CallEvent> calls{};
  std::vector<KernelEvent> events{};  ///< By their start.
  debug::Roof roof{};  ///< Of the threads that run kernels; not measured where GPUs run all.
};

}  // namespace detail

/// The least time that the machine could need for the kernel, over the time that it took: 1 is as
/// fast as memory, or arithmetic, allows. More than 1 means that its data was in a cache. 0 if the
/// roof is not known, as that of a GPU.
double share_of_roof(const detail::KernelProfile& kernel, const detail::debug::Roof& roof);

struct ProfileOptions {
  int calls = 10;   ///< That are measured.
  int warm_up = 1;  ///< Calls before them, which compile.
};

/// A table: one line for each kernel, and the lines of the user below it.
std::string to_string(const detail::Profile& profile);

/// The events as JSON that chrome://tracing and ui.perfetto.dev load: a row for each thread.
std::string to_chrome_trace(const detail::Profile& profile);

/// Writes that to a file. IoError if it cannot be written.
void save_chrome_trace(const std::string& path, const detail::Profile& profile,
                       Where where = Where::current());

void print(const detail::Profile& profile);

namespace detail {

namespace debug {

// What kernels do from here on, in this process. One at a time.
class Profiler {
 public:
  Profiler(ProfileOptions options, Where where);
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;
  ~Profiler();

  /// Forgets what was seen so far.
  void clear();
  void begin_call();
  void end_call();
  Profile finish();

 private:
  std::vector<std::int64_t> starts_{}, ends_{};
  bool finished_ = false;
};

}  // namespace debug

}  // namespace detail

/// Calls `f` some times, and gives what its kernels took in the calls after the first: any callable
/// without arguments, `[&] { step(model, optimizer, x, y); }`. A training step trains. What runs
/// without compile() is no kernel, and counts as time outside of them. Kernels of other threads
/// that run meanwhile are counted.
///
/// Throws ValueError, before `f` is called, if `calls` is less than 1, `warm_up` less than 0, or
/// another profile is being taken.
template <class F>
detail::Profile profile(F&& f, ProfileOptions options = {}, Where where = Where::current()) {
  constexpr bool is_callable = std::is_invocable_v<F&>;
  static_assert(is_callable,
                "sinter::profile requires a callable without arguments: "
                "profile([&] { f(x); })");
  if constexpr (is_callable) {
    detail::debug::Profiler profiler(options, where);
    for (int i = 0; i < options.warm_up; ++i) f();
    profiler.clear();
    for (int i = 0; i < options.calls; ++i) {
      profiler.begin_call();
      f();
      profiler.end_call();
    }
    return profiler.finish();
  } else {
    return {};
  }
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/profile.ipp>
#endif
