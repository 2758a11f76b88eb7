#pragma once

#include <mutex>  // std::lock_guard

#include <sinter/device/cuda/memory.hpp>
#include <sinter/device/cuda/submission.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE CudaSubmission::CudaSubmission(Device device, Where where)
    : stream_(CudaContext::of(device, where).stream(where)), where_(where) {
  ++stream_.begun;
  ++stream_.depth;
}

// Only the outermost of nested submissions publishes: by then the driver has the work of all of
// them.
SINTER_INLINE CudaSubmission::~CudaSubmission() {
  if (--stream_.depth == 0) stream_.submitted.store(stream_.begun, std::memory_order_release);
}

// The caller of this and note_write() holds cuda_mutex().
SINTER_INLINE void CudaSubmission::note_read(CudaUses& uses) {
  CudaUse* mine = nullptr;
  for (CudaUse& use : uses) {
    if (use.stream == &stream_) {
      mine = &use;
    } else {
      run_after(stream_, *use.stream, use.written, where_);
    }
  }
  if (mine != nullptr) {
    mine->read = stream_.begun;
  } else {
    uses.push_back({.stream = &stream_, .read = stream_.begun});
  }
}

SINTER_INLINE void CudaSubmission::note_write(CudaUses& uses) {
  for (const CudaUse& use : uses) run_after(stream_, *use.stream, use.last(), where_);
  // Waiting for this work implies waiting for the earlier uses.
  uses.clear();
  uses.push_back({.stream = &stream_, .written = stream_.begun});
}

SINTER_INLINE void CudaSubmission::reads(const Storage& memory) {
  const std::lock_guard lock(cuda_mutex());
  note_read(detail::CudaMemory::block_of(memory).uses);
}

SINTER_INLINE void CudaSubmission::writes(const Storage& memory) {
  memory.drop_attachments();
  const std::lock_guard lock(cuda_mutex());
  note_write(detail::CudaMemory::block_of(memory).uses);
}

SINTER_INLINE void CudaSubmission::reads(Span<const Storage* const> memory) {
  const Device device = context().device();
  const std::lock_guard lock(cuda_mutex());
  for (const Storage* const one : memory) {
    const bool is_there = one != nullptr && one->device() == device;
    if (is_there) note_read(detail::CudaMemory::block_of(*one).uses);
  }
}

SINTER_INLINE void CudaSubmission::writes(Span<const Storage* const> memory) {
  const Device device = context().device();
  for (const Storage* const one : memory) {
    if (one != nullptr && one->device() == device) one->drop_attachments();
  }
  const std::lock_guard lock(cuda_mutex());
  for (const Storage* const one : memory) {
    const bool is_there = one != nullptr && one->device() == device;
    if (is_there) note_write(detail::CudaMemory::block_of(*one).uses);
  }
}

SINTER_INLINE void CudaSubmission::wait() {
  if (stream_.depth == 1) stream_.submitted.store(stream_.begun, std::memory_order_release);
  synchronize(stream_, where_);
}

}  // namespace sinter::inline SINTER_ABI::detail
