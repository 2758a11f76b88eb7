#pragma once

#include <algorithm>  // std::max
#include <mutex>      // std::lock_guard
#include <utility>    // std::exchange

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/device/cuda/external_memory.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/device/host/gpu.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE void count_cuda_allocation(MemoryStats& stats, std::size_t capacity) {
  ++stats.allocations;
  stats.live_bytes += static_cast<std::int64_t>(capacity);
  stats.peak_bytes = std::max(stats.peak_bytes, stats.live_bytes);
}

// True if `stream` may write to the block without waiting.
SINTER_INLINE bool is_ready(const CudaBlock& block, const CudaStream& stream) {
  return all_of(block.uses, [&](const CudaUse& use) { return runs_after(stream, use); });
}

// The link to the first of the first eight blocks of the list that `stream` may write to without
// waiting; null if there is none.
SINTER_INLINE StorageBlock** find_ready(StorageBlock** link, const CudaStream& stream) {
  for (int count = 0; *link != nullptr && count < 8; ++count, link = &(*link)->next) {
    if (is_ready(*static_cast<CudaBlock*>(*link), stream)) return link;
  }
  return nullptr;
}

// An idle block of the class, or of a slightly larger one; null if there is none. Prefers blocks
// that the stream need not wait for.
SINTER_INLINE CudaBlock* take_idle_block(CudaPool& pool, const CudaStream& stream,
                                         std::size_t index) {
  const std::lock_guard lock(cuda_mutex());
  StorageBlock** chosen = nullptr;
  for (std::size_t i = index; i <= last_class_for(index); ++i) {
    if (pool.idle[i] == nullptr) continue;
    StorageBlock** const ready = find_ready(&pool.idle[i], stream);
    if (chosen == nullptr || ready != nullptr) chosen = ready != nullptr ? ready : &pool.idle[i];
    if (ready != nullptr) break;
  }
  if (chosen == nullptr) return nullptr;
  auto* const block = static_cast<CudaBlock*>(*chosen);
  *chosen = block->next;
  pool.stats.idle_bytes -= static_cast<std::int64_t>(block->capacity);
  count_cuda_allocation(pool.stats, block->capacity);
  return block;
}

// The streams with unfinished uses of `blocks`, without duplicates.
SINTER_INLINE Vector<CudaStream*> unfinished(const CudaBlock* blocks) {
  Vector<CudaStream*> result;
  for (; blocks != nullptr; blocks = static_cast<const CudaBlock*>(blocks->next)) {
    for (const CudaUse& use : blocks->uses) {
      const bool known = contains(result, use.stream);
      if (use.last() > use.stream->done && !known) result.push_back(use.stream);
    }
  }
  return result;
}

// Takes all idle blocks; the destructor puts the remaining ones back.
struct TakenBlocks {
  explicit TakenBlocks(CudaContext& gpu) : context(gpu) {
    const std::lock_guard lock(cuda_mutex());
    first = context.state<CudaPool>().take_all();
    streams = unfinished(first);
  }
  TakenBlocks(const TakenBlocks&) = delete;
  TakenBlocks& operator=(const TakenBlocks&) = delete;
  ~TakenBlocks() {
    const std::lock_guard lock(cuda_mutex());
    while (first != nullptr) {
      CudaBlock* const block = std::exchange(first, static_cast<CudaBlock*>(first->next));
      context.state<CudaPool>().blocks.emplace(block->data, block);
      context.state<CudaPool>().put(*block);
    }
  }
  CudaContext& context;
  CudaBlock* first = nullptr;
  Vector<CudaStream*> streams{};
};

// Frees the idle blocks; returns their bytes.
SINTER_INLINE std::int64_t release_idle(CudaContext& context, Where where) {
  TakenBlocks taken(context);
  for (CudaStream* const stream : taken.streams) synchronize(*stream, where);
  context.enter(where);
  std::int64_t released = 0;
  while (taken.first != nullptr) {
    CudaBlock* const block = taken.first;
    context.check(context.driver().free(reinterpret_cast<CudaDriver::Address>(block->data)),
                  "cuMemFree", where);
    released += static_cast<std::int64_t>(block->capacity);
    taken.first = static_cast<CudaBlock*>(block->next);
    delete block;
  }
  return released;
}

// Allocates from the driver, if necessary after freeing the idle blocks; returns 0 if memory runs
// out.
SINTER_INLINE CudaDriver::Address driver_memory(CudaContext& context, std::size_t capacity,
                                                Where where) {
  CudaDriver::Address address = 0;
  int result = context.driver().allocate(&address, capacity);
  if (result == CudaDriver::out_of_memory && release_idle(context, where) > 0) {
    result = context.driver().allocate(&address, capacity);
  }
  if (result == CudaDriver::out_of_memory) return 0;
  context.check(result, "cuMemAlloc", where);
  return address;
}

SINTER_INLINE CudaBlock* take_fresh_block(CudaContext& context, std::size_t index, Where where) {
  const std::size_t capacity = class_bytes(index);
  const CudaDriver::Address address = driver_memory(context, capacity, where);
  if (address == 0) return nullptr;
  auto* const block = new CudaBlock(context);
  block->data = reinterpret_cast<void*>(address);
  block->capacity = capacity;
  block->device = context.device();
  const std::lock_guard lock(cuda_mutex());
  context.state<CudaPool>().blocks.emplace(block->data, block);
  ++context.state<CudaPool>().stats.system_allocations;
  count_cuda_allocation(context.state<CudaPool>().stats, capacity);
  return block;
}

SINTER_INLINE std::size_t others_bytes(const MemoryStats& stats, std::size_t free,
                                       std::size_t total) {
  const auto ours = static_cast<std::size_t>(stats.live_bytes + stats.idle_bytes);
  return total - free > ours ? total - free - ours : 0;
}

// The fix for the error: the first cause that applies decides.
SINTER_INLINE std::string what_would_make_room(const CudaContext& context, std::size_t bytes,
                                               std::size_t free, std::size_t total) {
  const std::string smaller =
      "use smaller batches or shapes, or checkpoint() so that less is kept for the backward pass";
  if (total != 0 && bytes > total) return smaller + ": the GPU has less memory in total";
  const MemoryStats stats = memory_stats(context.device());
  const std::size_t others = others_bytes(stats, free, total);
  const bool is_much = others > total / 64;  // more than the driver's own share
  if (is_much && others >= bytes) {
    return text("end other programs on this GPU, which hold about ", others,
                " bytes, or use another GPU, with CUDA_VISIBLE_DEVICES or cuda(1)");
  }
  return smaller + ", or release tensors earlier";
}

[[noreturn]] SINTER_INLINE void throw_out_of_memory_on(const CudaContext& context,
                                                       std::size_t bytes, std::string_view purpose,
                                                       Where where) {
  const MemoryStats stats = memory_stats(context.device());
  std::size_t free = 0, total = 0;
  context.driver().memory_info(&free, &total);
  const OutsidePublicCalls elsewhere;  // the report names no public function
  throw GpuOutOfMemory({.op = "allocate",
                        .what = text("not enough memory on ", to_string(context.device())),
                        .facts = {{"asked", text(bytes, " bytes")},
                                  {"for", std::string(purpose)},
                                  {"in use", text(stats.live_bytes, " bytes")},
                                  {"cached", text(stats.idle_bytes, " bytes")},
                                  {"others", text("about ", others_bytes(stats, free, total),
                                                  " bytes, including the driver's own")},
                                  {"free", text(free, " bytes of ", total)}},
                        .fix = what_would_make_room(context, bytes, free, total),
                        .where = where});
}

SINTER_INLINE Storage CudaMemory::allocate(std::size_t bytes, Device device, Where where,
                                           std::string_view purpose) {
  CudaContext& context = CudaContext::of(device, where);
  constexpr std::size_t limit = std::size_t{1} << 47;  // what an address can name
  if (bytes > limit || allocation_fails()) throw_out_of_memory_on(context, bytes, purpose, where);
  const std::size_t index = size_class(bytes);
  CudaBlock* block = take_idle_block(context.state<CudaPool>(), context.stream(where), index);
  if (block == nullptr) block = take_fresh_block(context, index, where);
  if (block == nullptr) throw_out_of_memory_on(context, bytes, purpose, where);
  block->references.store(1, MemoryOrder::relaxed);
  block->bytes = bytes;
  return Storage(block);
}

SINTER_INLINE Storage CudaMemory::at(Device device, const void* address) {
  const CudaPool& pool = CudaContext::of(device, {}).state<CudaPool>();
  const std::lock_guard lock(cuda_mutex());
  const auto known = pool.blocks.find(address);
  if (known == pool.blocks.end()) return {};
  // The caller has to hold the memory, or it could be freed at any time.
  known->second->references.fetch_add(1, MemoryOrder::relaxed);
  return Storage(known->second);
}

SINTER_INLINE void CudaMemory::recycle(StorageBlock* memory) noexcept {
  auto* const block = static_cast<CudaBlock*>(memory);
  if (block->capacity == 0) return give_back(block);
  CudaContext& context = block->context;
  const std::lock_guard lock(cuda_mutex());
  if (context.closed()) {
    delete block;  // the memory was freed with the driver
    return;
  }
  CudaPool& pool = context.state<CudaPool>();
  pool.stats.live_bytes -= static_cast<std::int64_t>(block->capacity);
  pool.put(*block);
}

SINTER_INLINE MemoryStats CudaMemory::stats(Device device, Where where) {
  const CudaPool& pool = CudaContext::of(device, where).state<CudaPool>();
  const std::lock_guard lock(cuda_mutex());
  return pool.stats;
}

SINTER_INLINE void CudaMemory::reset_stats(Device device, Where where) {
  MemoryStats& stats = CudaContext::of(device, where).state<CudaPool>().stats;
  const std::lock_guard lock(cuda_mutex());
  stats.allocations = 0;
  stats.system_allocations = 0;
  stats.peak_bytes = stats.live_bytes;
}

SINTER_INLINE std::int64_t CudaMemory::release_idle(Device device, Where where) {
  return detail::release_idle(CudaContext::of(device, where), where);
}

SINTER_INLINE Storage memory_at(Device device, const void* address) {
  return detail::CudaMemory::at(device, address);
}

SINTER_INLINE void CudaPool::put(detail::CudaBlock& block) {
  detail::StorageBlock*& first = idle[size_class(block.capacity)];
  block.next = std::exchange(first, &block);
  stats.idle_bytes += static_cast<std::int64_t>(block.capacity);
}

SINTER_INLINE detail::CudaBlock* CudaPool::take_all() {
  detail::StorageBlock* all = nullptr;
  for (detail::StorageBlock*& first : idle) {
    while (first != nullptr) {
      detail::StorageBlock* const block = std::exchange(first, first->next);
      block->next = std::exchange(all, block);
      blocks.erase(block->data);
    }
  }
  stats.idle_bytes = 0;
  return static_cast<detail::CudaBlock*>(all);
}

SINTER_INLINE void CudaPool::close(const CudaDriver& driver) noexcept {
  for (detail::CudaBlock* block = take_all(); block != nullptr;) {
    auto* const next = static_cast<detail::CudaBlock*>(block->next);
    driver.free(reinterpret_cast<CudaDriver::Address>(block->data));
    delete std::exchange(block, next);
  }
}

}  // namespace sinter::inline SINTER_ABI::detail
