#pragma once
// profile(): the time of each kernel of a function, its share of the machine's roofline, and the
// user's lines that it computes.

#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <type_traits>  // std::is_invocable_v
#include <vector>       // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/debug/machine/roofline.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

enum class HostWork : std::uint8_t;

/// A kernel, summed over all profiled calls. The time of a run goes from the start of its first
/// thread to the end of its last. The shortest run is the one that other programs disturbed least.
struct KernelProfile {
  std::string name{};           ///< Of its function, as in Explanation.
  std::int64_t runs = 0;        ///< In all calls.
  int threads = 1;              ///< The maximum over all runs.
  int gpu = -1;                 ///< The last GPU that ran it; -1 for the host.
  double least = 0;             ///< Seconds of its shortest run.
  double seconds = 0;           ///< This and the next three: over all runs.
  std::int64_t bytes_read = 0;  ///< Distinct elements of each run.
  std::int64_t bytes_written = 0;
  std::int64_t operations = 0;  ///< Floating-point; a multiply-add counts two.
  std::vector<Where> lines;     ///< Of the user's program.
  HostWork work{};
};

/// The time that a thread, or a GPU, spent on a kernel. Times are seconds since the first call
/// began.
struct KernelEvent {
  std::size_t kernel = 0;  ///< In Profile::kernels.
  int thread = 0;
  double start = 0, end = 0;
  int gpu = -1;  ///< The GPU, if not a thread of the host; else -1.
};

struct CallEvent {
  double start = 0, end = 0;
};

struct Profile {
  std::vector<KernelProfile> kernels;  ///< By decreasing time.
  std::vector<CallEvent> calls;
  std::vector<KernelEvent> events;  ///< By their start.
  debug::Roofline roof{};           ///< Of the thread pool; not measured if GPUs run all kernels.
};

}  // namespace detail

/// The time of the kernel at the roofline over its measured time: 1 is as fast as memory bandwidth
/// or arithmetic allows; more than 1 means that its data was in a cache. 0 if the roof is unknown,
/// as for a GPU.
double share_of_roof(const detail::KernelProfile& kernel, const detail::debug::Roofline& roof);

struct ProfileOptions {
  int calls = 10;   ///< Measured calls.
  int warm_up = 1;  ///< Calls before them, which compile.
};

/// A table: one line for each kernel, followed by its lines of the user's program.
std::string to_string(const detail::Profile& profile);

/// The events as JSON for chrome://tracing and ui.perfetto.dev, with a row for each thread and GPU.
std::string to_chrome_trace(const detail::Profile& profile);

/// Writes to_chrome_trace() to a file. Throws IoError if that fails.
void save_chrome_trace(const std::string& path, const detail::Profile& profile,
                       Where where = Where::current());

void print(const detail::Profile& profile);

namespace detail {

namespace debug {

// Profiles all kernels of this process while it lives. One at a time.
class Profiler {
 public:
  Profiler(ProfileOptions options, Where where);
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;
  ~Profiler();

  /// Discards what was recorded so far.
  void clear();
  void begin_call();
  void end_call();
  Profile finish();

 private:
  std::vector<std::int64_t> starts_, ends_;
  bool finished_ = false;
};

/// The latest profile of this process; null if none was taken.
SharedPtr<const Profile> last_profile();

}  // namespace debug

}  // namespace detail

/// Calls `f`, any callable without arguments such as `[&] { step(model, optimizer, x, y); }`,
/// warm_up + calls times, and profiles its kernels in the last `calls` of them. The calls have
/// their effects: a training step trains. Code that does not run through compile() counts as time
/// outside of kernels. Kernels that other threads run meanwhile are included.
///
/// Throws ValueError, before `f` is called, if `calls` is less than 1, `warm_up` is less than 0, or
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
