#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/debug/communication.hpp>
#include <sinter/debug/profile.hpp>
#include <sinter/graph/custom/host_work.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// The number of collectives that run, and of callers that wait, over time.
class CommunicationTimeline {
 public:
  void add(const KernelEvent& event, HostWork work) {
    const int runs = work == HostWork::wait ? 0 : 1, waits = work == HostWork::background ? 0 : 1;
    changes_.push_back({event.start, runs, waits});
    changes_.push_back({event.end, -runs, -waits});
  }

  void measure(Communication& result) {
    stable_sort(changes_, [](const Change& a, const Change& b) { return a.time < b.time; });
    int running = 0, waiting = 0;
    double last = 0;
    for (const Change& change : changes_) {
      if (running > 0) result.seconds += change.time - last;
      if (running > 0 && waiting > 0) result.exposed += change.time - last;
      running += change.running, waiting += change.waiting;
      last = change.time;
    }
  }

 private:
  struct Change {
    double time;
    int running, waiting;
  };
  Vector<Change> changes_{};
};

}  // namespace detail

SINTER_INLINE Communication communication(const detail::Profile& profile) {
  Communication result;
  detail::CommunicationTimeline timeline;
  for (const detail::KernelEvent& event : profile.events) {
    const detail::HostWork work = profile.kernels[event.kernel].work;
    if (work != detail::HostWork::compute) timeline.add(event, work);
  }
  timeline.measure(result);
  for (const detail::KernelProfile& kernel : profile.kernels) {
    const bool in_background = kernel.work == detail::HostWork::background;
    if (in_background) result.in_background += kernel.runs;
    if (in_background || kernel.work == detail::HostWork::collective) {
      result.collectives += kernel.runs;
    }
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI
