#pragma once

#include <mutex>  // std::lock_guard

#include <sinter/device/cuda/staging.hpp>
#include <sinter/device/cuda/stream_order.hpp>

namespace sinter::inline SINTER_ABI::detail {

// An idle buffer: one that the GPU is done with, or any if max_buffers exist. Otherwise an empty
// buffer for the caller to allocate.
SINTER_INLINE CudaStagingBuffer take_buffer(CudaContext& context) {
  CudaStagingPool& staging = context.state<CudaStagingPool>();
  const std::lock_guard lock(cuda_mutex());
  const bool any = !staging.idle.empty();
  if (any && (staging.count >= CudaStagingPool::max_buffers ||
              context.driver().query_event(staging.idle.front().event) == 0)) {
    const CudaStagingBuffer buffer = staging.idle.front();
    staging.idle.erase(staging.idle.begin());
    return buffer;
  }
  ++staging.count;
  return {};
}

// Returns a buffer to the pool; frees it if its creation failed halfway.
SINTER_INLINE void return_buffer(CudaContext& context, const CudaStagingBuffer& buffer) {
  CudaStagingPool& staging = context.state<CudaStagingPool>();
  const std::lock_guard lock(cuda_mutex());
  if (buffer.event != nullptr) return staging.idle.push_back(buffer);
  --staging.count;
  if (buffer.memory != nullptr) context.driver().free_host(buffer.memory);
}

// Delegates, so that the destructor returns the buffer if this body throws.
SINTER_INLINE CudaStagingLease::CudaStagingLease(CudaContext& context, Where where)
    : CudaStagingLease(context, where, detail::take_buffer(context)) {
  if (buffer_.memory != nullptr) {
    wait();
    return;
  }
  const CudaDriver& driver = context.driver();
  context.check(driver.allocate_host(&buffer_.memory, staging_bytes, CudaDriver::host_portable),
                "cuMemHostAlloc", where);
  context.check(driver.create_event(&buffer_.event, CudaDriver::event_without_time),
                "cuEventCreate", where);
}

SINTER_INLINE CudaStagingLease::~CudaStagingLease() { detail::return_buffer(context_, buffer_); }

// The next lease waits for the event. If recording it fails, waits for the work here.
SINTER_INLINE void CudaStagingLease::used_by(const CudaStream& stream) {
  const int result = context_.driver().record_event(buffer_.event, stream.handle);
  if (result != 0) context_.driver().synchronize_stream(stream.handle);
  context_.check(result, "cuEventRecord", where_);
}

SINTER_INLINE void CudaStagingLease::wait() { await_event(context_, buffer_.event, where_); }

SINTER_INLINE void CudaStagingPool::close(const CudaDriver& driver) noexcept {
  for (const CudaStagingBuffer& buffer : idle) {
    driver.destroy_event(buffer.event);
    driver.free_host(buffer.memory);
  }
  idle.clear();
}

}  // namespace sinter::inline SINTER_ABI::detail
