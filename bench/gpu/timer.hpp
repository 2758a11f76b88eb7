#pragma once
// Time on a GPU: by events, by the wall clock until the last call is done, and the host time of
// calls, which return earlier.

#include <algorithm>  // std::max, std::min
#include <cstddef>    // std::size_t
#include <utility>    // std::move

#include <sinter/device/cuda/copy.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/device/cuda/submission.hpp>

#include "../measure.hpp"

namespace bench {

enum class Clock { events, wall, host };

inline const char* name_of(Clock clock) {
  return clock == Clock::events ? "events" : clock == Clock::wall ? "wall" : "host";
}

/// A timing event of cuda().
class GpuEvent {
 public:
  GpuEvent() : context_(sinter::detail::CudaContext::of(sinter::cuda())) {
    context_.check(context_.driver().create_event(&handle_, 0), "cuEventCreate", {});
  }
  GpuEvent(const GpuEvent&) = delete;
  GpuEvent& operator=(const GpuEvent&) = delete;
  ~GpuEvent() { context_.driver().destroy_event(handle_); }

  /// Records the event in the stream of this thread, after all earlier work.
  void record() {
    context_.check(context_.driver().record_event(handle_, context_.stream({}).handle),
                   "cuEventRecord", {});
  }
  /// Waits for this event; seconds since `start`.
  double seconds_since(const GpuEvent& start) const {
    float milliseconds = 0;
    context_.check(context_.driver().synchronize_event(handle_), "cuEventSynchronize", {});
    context_.check(context_.driver().elapsed(&milliseconds, start.handle_, handle_),
                   "cuEventElapsedTime", {});
    return milliseconds * 1e-3;
  }

 private:
  sinter::detail::CudaContext& context_;
  sinter::detail::CudaDriver::Handle handle_ = nullptr;
};

/// Seconds that `repeats` calls of `body` take.
template <class Body>
double gpu_seconds(Body& body, int repeats, Clock clock) {
  sinter::synchronize(sinter::cuda());
  if (clock == Clock::events) {
    GpuEvent start, stop;
    start.record();
    seconds_of(body, repeats);
    stop.record();
    return stop.seconds_since(start);
  }
  const double host = seconds_of(body, repeats);
  const double wait = seconds([] { sinter::synchronize(sinter::cuda()); });
  return clock == Clock::host ? host : host + wait;
}

/// A competitor, like Sample of measure.hpp: each turn warms up and returns seconds per call.
template <class Body>
class GpuSample {
 public:
  GpuSample(Body body, Clock clock, double sample = 20e-3) : body_(std::move(body)), clock_(clock) {
    gpu_seconds(body_, 2, Clock::wall);  // which compiles, and makes graphs
    // The host waits if the queue is full.
    const int most = clock == Clock::host ? 64 : 1 << 14;
    const double once = std::max(gpu_seconds(body_, 3, Clock::wall) / 3, 1e-7);
    repeats_ = std::clamp(static_cast<int>(sample / once), 1, most);
  }

  double operator()() {
    gpu_seconds(body_, std::max(1, repeats_ / 4), Clock::wall);
    return gpu_seconds(body_, repeats_, clock_) / repeats_;
  }

 private:
  Body body_;
  Clock clock_;
  int repeats_ = 1;
};

/// Bytes per second, reads and writes, of a copy of this size on the GPU.
inline double copied_bytes_per_second(std::size_t bytes) {
  const sinter::detail::Storage from = sinter::detail::Storage::allocate(bytes, sinter::cuda()),
                                to = sinter::detail::Storage::allocate(bytes, sinter::cuda());
  const auto clear = [](const sinter::detail::Storage& memory) {
    sinter::detail::CudaSubmission work(sinter::cuda());
    work.writes(memory);
    work.check(work.driver().set_bytes_async(sinter::detail::device_address(memory), 0,
                                             memory.bytes(), work.stream().handle),
               "cuMemsetD8Async");
  };
  clear(from);
  GpuSample copy([&] { sinter::detail::copy_bytes(to, from); }, Clock::events);
  return 2.0 * static_cast<double>(bytes) / fastest_of(copy, 7);
}

}  // namespace bench
