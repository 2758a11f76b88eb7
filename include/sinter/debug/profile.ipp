#pragma once

#include <algorithm>    // std::max, std::min
#include <cstdio>       // std::fputs, std::snprintf
#include <mutex>        // std::lock_guard
#include <string_view>  // std::string_view

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/lines.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/debug/communication.hpp>
#include <sinter/debug/profile.hpp>
#include <sinter/graph/custom/host_work.hpp>
#include <sinter/io/file.hpp>
#include <sinter/jit/interface/options.hpp>
#include <sinter/runtime/host/profiler.hpp>
#include <sinter/runtime/host/thread_pool.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

namespace debug {

namespace detail {

SINTER_INLINE bool on_gpus_only(const Profile& profile) {
  const auto& kernels = profile.kernels;
  const auto on_gpu = [](const KernelProfile& kernel) { return kernel.gpu >= 0; };
  return !kernels.empty() && all_of(kernels, on_gpu);
}

// What was trace, kernel by kernel.
struct ProfileBuilder {
  const runtime::KernelTrace& trace;
  double origin = 0;  // the clock in nanoseconds when the first call began
  Profile profile{};
  HashMap<std::string_view, std::size_t> kernels{};

  double seconds(std::int64_t time) const { return 1e-9 * (static_cast<double>(time) - origin); }

  std::size_t kernel_of(const runtime::KernelRun& run) {
    const auto [known, is_new] = kernels.insert({run.kernel, profile.kernels.size()});
    if (is_new) profile.kernels.push_back({.name = run.kernel, .lines = {}});
    return known->second;
  }

  void add(std::size_t number, std::size_t first, std::size_t last) {
    const runtime::KernelRun& run = trace.runs[number];
    const std::size_t kernel = kernel_of(run);
    KernelProfile& total = profile.kernels[kernel];
    double start = 0, end = 0;
    for (std::size_t i = first; i < last; ++i) {
      const KernelEvent& event = profile.events[i];
      start = i == first ? event.start : std::min(start, event.start);
      end = i == first ? event.end : std::max(end, event.end);
      profile.events[i].kernel = kernel;
      total.gpu = event.gpu;
    }
    total.least = total.runs == 0 ? end - start : std::min(total.least, end - start);
    total.runs += 1;
    total.threads = std::max(total.threads, static_cast<int>(last - first));
    total.seconds += end - start;
    total.bytes_read += run.bytes_read;
    total.bytes_written += run.bytes_written;
    total.operations += run.operations;
    add_lines(total.lines, run.lines);
    total.work = run.work;
  }

  // Groups the spans of each run.
  void build() {
    Vector<runtime::KernelSpan> spans = trace.spans;
    stable_sort(spans, [](const auto& a, const auto& b) { return a.run < b.run; });
    for (const runtime::KernelSpan& span : spans) {
      profile.events.push_back({0, span.thread, seconds(span.start), seconds(span.end), span.gpu});
    }
    for (std::size_t first = 0, last = 0; first < spans.size(); first = last) {
      while (last < spans.size() && spans[last].run == spans[first].run) ++last;
      add(spans[first].run, first, last);
    }
    sort();
  }

  void sort() {
    std::vector<std::size_t> order(profile.kernels.size()), place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    stable_sort(order, [&](std::size_t a, std::size_t b) {
      return profile.kernels[a].seconds > profile.kernels[b].seconds;
    });
    std::vector<KernelProfile> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      sorted.push_back(profile.kernels[order[i]]);
    }
    profile.kernels = std::move(sorted);
    for (KernelEvent& event : profile.events) event.kernel = place[event.kernel];
    stable_sort(profile.events,
                [](const KernelEvent& a, const KernelEvent& b) { return a.start < b.start; });
  }
};

struct LastProfile {
  ProcessMutex mutex{};
  SharedPtr<const Profile> profile{};

  static LastProfile& of_process() {
    static LastProfile& last = *new LastProfile;
    return last;
  }
};

}  // namespace detail

SINTER_INLINE SharedPtr<const Profile> last_profile() {
  detail::LastProfile& last = detail::LastProfile::of_process();
  const std::lock_guard lock(last.mutex);
  return last.profile;
}

SINTER_INLINE Profiler::Profiler(ProfileOptions options, Where where) {
  if (options.calls < 1 || options.warm_up < 0) {
    const bool measures = options.calls >= 1;
    throw ValueError({.op = "profile",
                      .what = measures ? "the number of warm-up calls is negative"
                                       : "there are no calls to measure",
                      .facts = {{"calls", text(options.calls)}, {"warm_up", text(options.warm_up)}},
                      .rule = measures ? "warm_up >= 0" : "calls >= 1",
                      .where = where});
  }
  if (runtime::KernelProfiler::process().start()) return;
  throw ValueError({.op = "profile",
                    .what = "another profile is being taken",
                    .rule = "one at a time in a process",
                    .fix = "wait until it ends; profiles cannot be nested",
                    .where = where});
}

SINTER_INLINE Profiler::~Profiler() {
  if (!finished_) runtime::KernelProfiler::process().stop();
}

SINTER_INLINE void Profiler::clear() { runtime::KernelProfiler::process().clear(); }
SINTER_INLINE void Profiler::begin_call() { starts_.push_back(runtime::monotonic_nanoseconds()); }
SINTER_INLINE void Profiler::end_call() { ends_.push_back(runtime::monotonic_nanoseconds()); }

SINTER_INLINE Profile Profiler::finish() {
  finished_ = true;
  const runtime::KernelTrace trace = runtime::KernelProfiler::process().stop();
  detail::ProfileBuilder builder{trace, static_cast<double>(starts_.at(0))};
  builder.build();
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    builder.profile.calls.push_back({builder.seconds(starts_[i]), builder.seconds(ends_[i])});
  }
  if (!detail::on_gpus_only(builder.profile)) {
    builder.profile.roof = machine_roof(runtime::num_threads());
  }
  detail::LastProfile& last = detail::LastProfile::of_process();
  const std::lock_guard lock(last.mutex);
  last.profile = make_shared_ptr<const Profile>(builder.profile);
  return std::move(builder.profile);
}

}  // namespace debug

}  // namespace detail

SINTER_INLINE double share_of_roof(const detail::KernelProfile& kernel,
                                   const detail::debug::Roofline& roof) {
  const bool is_known = roof.bytes_per_second > 0 && roof.operations_per_second > 0;
  if (!is_known || kernel.seconds <= 0 || kernel.gpu >= 0) return 0;
  const auto bytes = static_cast<double>(kernel.bytes_read + kernel.bytes_written);
  const auto operations = static_cast<double>(kernel.operations);
  const double least =
      std::max(bytes / roof.bytes_per_second, operations / roof.operations_per_second);
  return least / kernel.seconds;
}

namespace detail {

// printf, as a string; for numbers.
template <class... Numbers>
std::string printed(const char* format, Numbers... numbers) {
  char buffer[160];
  std::snprintf(buffer, sizeof(buffer), format, numbers...);
  return buffer;
}

// "1.23 ms": three significant digits, in a readable unit.
SINTER_INLINE std::string time_text(double seconds) {
  double number = seconds * 1e9;
  for (const char* const unit : {"ns", "us", "ms"}) {
    if (number < 999.5) return text(printed("%.3g ", number), unit);  // else it is printed as 1e+03
    number /= 1000;
  }
  return printed(number < 999.5 ? "%.3g s" : "%.0f s", number);
}

SINTER_INLINE double total_of_calls(const Profile& profile) {
  double result = 0;
  for (const CallEvent& call : profile.calls) result += call.end - call.start;
  return result;
}

SINTER_INLINE double total_of_kernels(const Profile& profile) {
  double result = 0;
  for (const KernelProfile& kernel : profile.kernels) {
    if (kernel.work != HostWork::background) result += kernel.seconds;
  }
  return result;
}

// "communication: 12.3 ms each, 81% hidden; 3 collectives, 2 of them in the background"; empty if
// there are no collectives.
SINTER_INLINE std::string communication_text(const Profile& profile) {
  const Communication shared = communication(profile);
  if (shared.collectives == 0) return "";
  const auto calls = static_cast<double>(std::max<std::size_t>(profile.calls.size(), 1));
  return text("communication: ", time_text(shared.seconds / calls), " each, ",
              printed("%.0f%% hidden; ", 100 * shared.hidden()),
              quantity(shared.collectives, "collective"), ", ", shared.in_background,
              " of them in the background\n");
}

SINTER_INLINE std::string row_of(const KernelProfile& kernel, const Profile& profile) {
  const auto bytes = static_cast<double>(kernel.bytes_read + kernel.bytes_written);
  const auto operations = static_cast<double>(kernel.operations);
  const double share = share_of_roof(kernel, profile.roof);
  const std::string threads = kernel.gpu >= 0 ? "gpu" : text(kernel.threads);
  std::string result =
      printed("%5.1f%% %7lld %4s %9s %9s %8.2f %8.2f ",
              100 * kernel.seconds / total_of_calls(profile), static_cast<long long>(kernel.runs),
              threads.c_str(), time_text(kernel.seconds / static_cast<double>(kernel.runs)).c_str(),
              time_text(kernel.least).c_str(), 1e-9 * bytes / kernel.seconds,
              1e-9 * operations / kernel.seconds);
  result += share == 0 ? "     -" : printed("%5.0f%%", 100 * share);
  result += text("  ", kernel.name, "\n");
  for (const Where& line : kernel.lines)
    result += text(std::string(67, ' '), sinter::to_string(line), "\n");
  return result;
}

// {"name": ..., "ph": "X", ...}: an event with a duration, in microseconds.
SINTER_INLINE std::string trace_event(std::string_view name, std::string_view category, int thread,
                                      double start, double end, const std::string& more) {
  return text(
      "{\"name\": ", json_text(name), ", \"cat\": \"", category,
      "\", \"ph\": \"X\", \"pid\": 1, \"tid\": ", thread,
      printed(", \"ts\": %.3f, \"dur\": %.3f, \"args\": {", 1e6 * start, 1e6 * (end - start)), more,
      "}}");
}

SINTER_INLINE std::string thread_name(int thread, std::string_view name) {
  return text("{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": ", thread,
              ", \"args\": {\"name\": ", json_text(name), "}}");
}

// Rows of GPUs come after those of all threads.
SINTER_INLINE int row_of(const KernelEvent& event) {
  return event.gpu < 0 ? event.thread : 1'000'000 + event.gpu;
}

// The average bytes and operations of a run of the kernel.
SINTER_INLINE std::string trace_facts(const KernelProfile& kernel) {
  return text("\"bytes_read\": ", kernel.bytes_read / kernel.runs,
              ", \"bytes_written\": ", kernel.bytes_written / kernel.runs,
              ", \"operations\": ", kernel.operations / kernel.runs,
              ", \"lines\": ", json_lines(kernel.lines));
}

}  // namespace detail

SINTER_INLINE std::string to_string(const detail::Profile& profile) {
  const double calls = detail::total_of_calls(profile), kernels = detail::total_of_kernels(profile);
  const auto count = static_cast<double>(std::max<std::size_t>(profile.calls.size(), 1));
  const detail::debug::Roofline& roof = profile.roof;
  std::string result =
      detail::text(detail::quantity(profile.calls.size(), "call"), ", ",
                   detail::time_text(calls / count), " each: ", detail::time_text(kernels / count),
                   " in ", detail::quantity(profile.kernels.size(), "kernel"), ", ",
                   detail::time_text(std::max(0.0, calls - kernels) / count), " outside of them\n");
  if (!detail::debug::detail::on_gpus_only(profile)) {
    result +=
        detail::printed("roof: %.1f GB/s, %.0f GFLOP/s, %d threads\n", 1e-9 * roof.bytes_per_second,
                        1e-9 * roof.operations_per_second, roof.threads);
  }
  result += detail::communication_text(profile);
  if (profile.kernels.empty()) return result;
  result += "\n  time    runs  thr      each     least     GB/s  GFLOP/s   roof  kernel\n";
  for (const detail::KernelProfile& kernel : profile.kernels)
    result += detail::row_of(kernel, profile);
  return result;
}

SINTER_INLINE std::string to_chrome_trace(const detail::Profile& profile) {
  std::string result = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
  result += detail::thread_name(0, "thread 0, the caller");
  detail::SortedSet<int> rows{0};
  for (const detail::KernelEvent& event : profile.events) {
    const int row = detail::row_of(event);
    if (!rows.insert(row).second) continue;
    const bool in_background = profile.kernels[event.kernel].work == detail::HostWork::background;
    const std::string name = event.gpu >= 0  ? detail::text(cuda(event.gpu))
                             : in_background ? "communication"
                                             : detail::text("thread ", row);
    result += ",\n" + detail::thread_name(row, name);
  }
  for (std::size_t i = 0; i < profile.calls.size(); ++i) {
    const detail::CallEvent& call = profile.calls[i];
    const std::string name = detail::text("call ", i);
    result += ",\n" + detail::trace_event(name, "call", 0, call.start, call.end, "");
  }
  for (const detail::KernelEvent& event : profile.events) {
    const detail::KernelProfile& kernel = profile.kernels[event.kernel];
    result += ",\n" + detail::trace_event(kernel.name, "kernel", detail::row_of(event), event.start,
                                          event.end, detail::trace_facts(kernel));
  }
  return result + "\n]}\n";
}

SINTER_INLINE void save_chrome_trace(const std::string& path, const detail::Profile& profile,
                                     Where where) {
  io::OutputFile file({.op = "save_chrome_trace", .path = path, .where = where});
  file.write(to_chrome_trace(profile));
  file.commit();
}

SINTER_INLINE void print(const detail::Profile& profile) {
  std::fputs(to_string(profile).c_str(), stdout);
}

}  // namespace sinter::inline SINTER_ABI
