#pragma once

#include <algorithm>  // std::max
#include <mutex>      // std::lock_guard

#include <sinter/device/cuda/stream_order.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE std::uint64_t awaited_work(const CudaStream& stream, const CudaStream& other) {
  for (const CudaStream::Awaited& one : stream.awaited) {
    if (one.stream == &other) return one.work;
  }
  return 0;
}

// A borrowed event, returned once a wait for it is enqueued: recording it again does not affect the
// wait.
struct ScopedEvent {
  ScopedEvent(CudaContext& gpu, CudaDriver::Handle event) : context(gpu), handle(event) {}
  ScopedEvent(const ScopedEvent&) = delete;
  ScopedEvent& operator=(const ScopedEvent&) = delete;
  ~ScopedEvent() { context.return_event(handle); }
  CudaContext& context;
  const CudaDriver::Handle handle;
};

SINTER_INLINE void note_awaited(CudaStream& stream, const CudaStream& other, std::uint64_t work) {
  for (CudaStream::Awaited& one : stream.awaited) {
    if (one.stream == &other) return void(one.work = std::max(one.work, work));
  }
  stream.awaited.push_back({&other, work});
}

SINTER_INLINE bool runs_after(const CudaStream& stream, const CudaUse& use) {
  return use.stream == &stream || use.last() <= use.stream->done ||
         use.last() <= awaited_work(stream, *use.stream);
}

SINTER_INLINE void run_after(CudaStream& stream, CudaStream& other, std::uint64_t work,
                             Where where) {
  if (runs_after(stream, {.stream = &other, .read = work})) return;
  // Read before recording the event, which then covers at least this much.
  const std::uint64_t submitted = other.submitted.load(std::memory_order_acquire);
  CudaContext &here = stream.context, &there = other.context;
  there.enter(where);
  const ScopedEvent event{there, there.take_event(where)};
  there.check(there.driver().record_event(event.handle, other.handle), "cuEventRecord", where);
  here.enter(where);
  here.check(here.driver().wait_event(stream.handle, event.handle, 0), "cuStreamWaitEvent", where);
  note_awaited(stream, other, submitted);
}

SINTER_INLINE std::atomic<HostWait>& host_wait() {
  static auto& instance = *new std::atomic<HostWait>(nullptr);
  return instance;
}

SINTER_INLINE void await_others(const CudaContext& context, CudaDriver::Handle stream,
                                Where where) {
  const CudaDriver& driver = context.driver();
  if (const HostWait wait = host_wait().load()) {
    wait([&] { return driver.query_stream(stream) != CudaDriver::not_ready; }, where);
  }
}

SINTER_INLINE void await_stream(const CudaContext& context, CudaDriver::Handle stream,
                                Where where) {
  await_others(context, stream, where);
  context.check(context.driver().synchronize_stream(stream), "cuStreamSynchronize", where);
}

SINTER_INLINE void await_event(const CudaContext& context, CudaDriver::Handle event, Where where) {
  const CudaDriver& driver = context.driver();
  if (const HostWait wait = host_wait().load()) {
    wait([&] { return driver.query_event(event) != CudaDriver::not_ready; }, where);
  }
  context.check(driver.synchronize_event(event), "cuEventSynchronize", where);
}

SINTER_INLINE void synchronize(CudaStream& stream, Where where) {
  const std::uint64_t submitted = stream.submitted.load(std::memory_order_acquire);
  const CudaContext& context = stream.context;
  context.enter(where);
  await_stream(context, stream.handle, where);
  const std::lock_guard lock(cuda_mutex());
  stream.done = std::max(stream.done, submitted);
}

SINTER_INLINE void synchronize_cuda(Device device, Where where) {
  CudaContext& context = CudaContext::of(device, where);
  for (CudaStream* const stream : context.streams()) synchronize(*stream, where);
}

}  // namespace sinter::inline SINTER_ABI::detail
