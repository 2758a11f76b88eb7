#pragma once

#include <mutex>   // std::lock_guard

#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/device/cuda/external_memory.hpp>

namespace sinter::inline SINTER_ABI::detail {

// The streams whose work with the block may still run.
SINTER_INLINE Vector<CudaStream*> busy_streams(const CudaBlock& block) {
  const std::lock_guard lock(cuda_mutex());
  Vector<CudaStream*> result;
  if (block.context.closed()) return result;
  for (const CudaUse& use : block.uses) {
    if (use.last() > use.stream->done) result.push_back(use.stream);
  }
  return result;
}

// Waits on whichever thread destroys the last copy of a storage; preserves its current context.
SINTER_INLINE void await_last_work(const CudaBlock& block) noexcept {
  for (CudaStream* const stream : busy_streams(block)) {
    const CudaDriver& driver = stream->context.driver();
    CudaDriver::Handle current = nullptr;
    driver.context(&current);
    try {
      synchronize(*stream, {});
    } catch (const UserError&) {  // a lost GPU reads nothing any more
    }
    driver.set_context(current);
  }
}

// Adds a reference unless the last one is gone. The caller holds cuda_mutex().
SINTER_INLINE bool hold(StorageBlock& block) {
  std::int64_t count = block.references.load(MemoryOrder::relaxed);
  while (count > 0 && !block.references.compare_exchange(count, count + 1)) {
  }
  return count > 0;
}

SINTER_INLINE Storage CudaMemory::borrow(Device device, const void* memory, std::size_t bytes,
                                         void (*release)(void*), void* owner, Where where) {
  CudaContext& context = CudaContext::of(device, where);
  auto block = make_unique_ptr<CudaBlock>(context);
  block->data = const_cast<void*>(memory);
  block->bytes = bytes;
  block->device = device;
  block->release = release;
  block->owner = owner;
  const std::lock_guard lock(cuda_mutex());
  CudaBlock*& known = context.state<CudaPool>().blocks[memory];
  if (known != nullptr && hold(*known)) {
    block->first = Storage(known);
  } else {
    known = block.get();
  }
  return Storage(block.release());
}

SINTER_INLINE void CudaMemory::give_back(CudaBlock* block) noexcept {
  {
    const std::lock_guard lock(cuda_mutex());
    auto& blocks = block->context.state<CudaPool>().blocks;
    const auto known = blocks.find(block->data);
    if (known != blocks.end() && known->second == block) blocks.erase(known);
  }
  await_last_work(*block);
  // Work that looked the memory up by its address is recorded in the first block.
  if (block->first) await_last_work(block_of(block->first));
  block->release(block->owner);
  delete block;
}

SINTER_INLINE Storage borrow_on(Device device, const void* memory, std::size_t bytes,
                                void (*release)(void*), void* owner, Where where) {
  return detail::CudaMemory::borrow(device, memory, bytes, release, owner, where);
}

SINTER_INLINE void await_work_with(const Storage& memory, Where where) {
  for (CudaStream* const stream : detail::busy_streams(detail::CudaMemory::block_of(memory))) {
    synchronize(*stream, where);
  }
}

}  // namespace sinter::inline SINTER_ABI::detail
