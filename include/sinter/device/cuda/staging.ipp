#pragma once

#include <mutex>  // std::lock_guard

#include <sinter/device/cuda/staging.hpp>

namespace sinter::inline SINTER_ABI::detail {

// An idle chunk that is free by now, or one that will be if there are enough of them; else one
// without memory.
SINTER_INLINE CudaChunk take_chunk(CudaContext& context) {
  CudaStaging& staging = context.part<CudaStaging>();
  const std::lock_guard lock(cuda_mutex());
  const bool any = !staging.idle.empty();
  if (any && (staging.count >= CudaStaging::enough ||
              context.driver().query_event(staging.idle.front().event) == 0)) {
    const CudaChunk chunk = staging.idle.front();
    staging.idle.erase(staging.idle.begin());
    return chunk;
  }
  ++staging.count;
  return {};
}

// A chunk that was not made whole is none.
SINTER_INLINE void give_chunk(CudaContext& context, const CudaChunk& chunk) {
  CudaStaging& staging = context.part<CudaStaging>();
  const std::lock_guard lock(cuda_mutex());
  if (chunk.event != nullptr) return staging.idle.push_back(chunk);
  --staging.count;
  if (chunk.memory != nullptr) context.driver().free_host(chunk.memory);
}

// What the other constructor made is given back where the body of this one throws.
SINTER_INLINE CudaChunkLoan::CudaChunkLoan(CudaContext& context, Where where)
    : CudaChunkLoan(context, where, detail::take_chunk(context)) {
  if (chunk_.memory != nullptr) {
    wait();
    return;
  }
  const CudaDriver& driver = context.driver();
  context.check(driver.allocate_host(&chunk_.memory, staging_bytes, CudaDriver::host_portable),
                "cuMemHostAlloc", where);
  context.check(driver.create_event(&chunk_.event, CudaDriver::event_without_time), "cuEventCreate",
                where);
}

SINTER_INLINE CudaChunkLoan::~CudaChunkLoan() { detail::give_chunk(context_, chunk_); }

// The next loan waits for the event. Without one, nobody may have the chunk before the work is
// done.
SINTER_INLINE void CudaChunkLoan::used_by(const CudaStream& stream) {
  const int result = context_.driver().record_event(chunk_.event, stream.handle);
  if (result != 0) context_.driver().synchronize_stream(stream.handle);
  context_.check(result, "cuEventRecord", where_);
}

SINTER_INLINE void CudaChunkLoan::wait() {
  context_.check(context_.driver().synchronize_event(chunk_.event), "cuEventSynchronize", where_);
}

SINTER_INLINE void CudaStaging::close(const CudaDriver& driver) noexcept {
  for (const CudaChunk& chunk : idle) {
    driver.destroy_event(chunk.event);
    driver.free_host(chunk.memory);
  }
  idle.clear();
}

}  // namespace sinter::inline SINTER_ABI::detail
