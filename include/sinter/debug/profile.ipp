#pragma once

#include <algorithm>      // std::all_of, std::max, std::min, std::stable_sort
#include <string_view>    // std::string_view
#include <unordered_map>  // std::unordered_map

#include <sinter/base/error.hpp>
#include <sinter/base/lines.hpp>
#include <sinter/debug/profile.hpp>
#include <sinter/runtime/team.hpp>
#include <sinter/runtime/watch.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

namespace debug {

namespace detail {

SINTER_INLINE bool on_gpus_only(const Profile& profile) {
  const auto& kernels = profile.kernels;
  const auto on_gpu = [](const KernelProfile& kernel) { return kernel.gpu >= 0; };
  return !kernels.empty() && std::all_of(kernels.begin(), kernels.end(), on_gpu);
}

// What was watched, kernel by kernel.
struct Gathering {
  const runtime::Watched& watched;
  double origin = 0;  // nanoseconds of the clock at which the first call began
  Profile profile{};
  std::unordered_map<std::string_view, std::size_t> kernels{};

  double seconds(std::int64_t time) const { return 1e-9 * (static_cast<double>(time) - origin); }

  std::size_t kernel_of(const runtime::WatchedRun& run) {
    const auto [known, is_new] = kernels.insert({run.kernel, profile.kernels.size()});
    if (is_new) profile.kernels.push_back({.name = run.kernel});
    return known->second;
  }

  void add(std::size_t number, std::size_t first, std::size_t last) {
    const runtime::WatchedRun& run = watched.runs[number];
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
    total.runs += 1;
    total.threads = std::max(total.threads, static_cast<int>(last - first));
    total.seconds += end - start;
    total.bytes_read += run.bytes_read;
    total.bytes_written += run.bytes_written;
    total.operations += run.operations;
    add_lines(total.lines, run.lines);
  }

  // The parts of each run stand together after this.
  void gather() {
    std::vector<runtime::WatchedPart> parts = watched.parts;
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.run < b.run; });
    for (const runtime::WatchedPart& part : parts) {
      profile.events.push_back({0, part.thread, seconds(part.start), seconds(part.end), part.gpu});
    }
    for (std::size_t first = 0, last = 0; first < parts.size(); first = last) {
      while (last < parts.size() && parts[last].run == parts[first].run) ++last;
      add(parts[first].run, first, last);
    }
    sort();
  }

  void sort() {
    std::vector<std::size_t> order(profile.kernels.size()), place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return profile.kernels[a].seconds > profile.kernels[b].seconds;
    });
    std::vector<KernelProfile> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      sorted.push_back(profile.kernels[order[i]]);
    }
    profile.kernels = std::move(sorted);
    for (KernelEvent& event : profile.events) event.kernel = place[event.kernel];
    std::stable_sort(profile.events.begin(), profile.events.end(),
                     [](const KernelEvent& a, const KernelEvent& b) { return a.start < b.start; });
  }
};

}  // namespace detail

SINTER_INLINE Profiler::Profiler(ProfileOptions options, Where where) {
  if (options.calls < 1 || options.warm_up < 0) {
    const bool measures = options.calls >= 1;
    throw ValueError({.op = "profile",
                      .what = measures ? "fewer than no calls before those that are measured"
                                       : "there are no calls to measure",
                      .facts = {{"calls", text(options.calls)}, {"warm_up", text(options.warm_up)}},
                      .rule = measures ? "warm_up >= 0" : "calls >= 1",
                      .where = where});
  }
  if (runtime::Watch::process().start()) return;
  throw ValueError({.op = "profile",
                    .what = "another profile is being taken",
                    .rule = "one at a time in a process",
                    .fix = "let the other one end first; a profile cannot be inside of another",
                    .where = where});
}

SINTER_INLINE Profiler::~Profiler() {
  if (!finished_) runtime::Watch::process().stop();
}

SINTER_INLINE void Profiler::clear() { runtime::Watch::process().clear(); }
SINTER_INLINE void Profiler::begin_call() { starts_.push_back(runtime::watch_time()); }
SINTER_INLINE void Profiler::end_call() { ends_.push_back(runtime::watch_time()); }

SINTER_INLINE Profile Profiler::finish() {
  finished_ = true;
  const runtime::Watched watched = runtime::Watch::process().stop();
  detail::Gathering gathering{watched, static_cast<double>(starts_.at(0))};
  gathering.gather();
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    gathering.profile.calls.push_back({gathering.seconds(starts_[i]), gathering.seconds(ends_[i])});
  }
  if (!detail::on_gpus_only(gathering.profile)) {
    gathering.profile.roof = machine_roof(runtime::num_threads());
  }
  return std::move(gathering.profile);
}

}  // namespace debug

}  // namespace detail

SINTER_INLINE double share_of_roof(const detail::KernelProfile& kernel,
                                   const detail::debug::Roof& roof) {
  const bool is_known = roof.bytes_per_second > 0 && roof.operations_per_second > 0;
  if (!is_known || kernel.seconds <= 0 || kernel.gpu >= 0) return 0;
  const auto bytes = static_cast<double>(kernel.bytes_read + kernel.bytes_written);
  const auto operations = static_cast<double>(kernel.operations);
  const double least =
      std::max(bytes / roof.bytes_per_second, operations / roof.operations_per_second);
  return least / kernel.seconds;
}

}  // namespace sinter::inline SINTER_ABI
