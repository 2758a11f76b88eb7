#pragma once

#include <sys/mman.h>  // mmap, munmap, madvise

#include <algorithm>  // std::max
#include <array>      // std::array
#include <bit>        // std::bit_width
#include <cstdlib>    // std::aligned_alloc, std::free
#include <cstring>    // std::memset
#include <mutex>      // std::lock_guard
#include <new>        // std::nothrow

#include <sinter/base/error.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/device/host/gpu.hpp>
#include <sinter/device/host/size_class.hpp>
#include <sinter/device/host/storage.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

constexpr std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

struct Allocator {
  ProcessMutex mutex{};
  std::array<StorageBlock*, size_classes> idle{};
  MemoryStats stats{};
  std::int64_t max_live_bytes = 0;  // the peak of live bytes since the start of the process
  std::int64_t freed = 0;           // blocks that became idle so far
};

SINTER_INLINE Allocator& allocator() {
  static auto& instance = *new Allocator;
  return instance;
}

// Maps memory aligned to huge pages: maps more, then unmaps the ends.
SINTER_INLINE void* map_huge(std::size_t bytes) {
  const std::size_t room = bytes + huge_page_bytes;
  void* const mapped =
      mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<char*>(mapped);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(begin) % huge_page_bytes;
  const std::size_t head = past == 0 ? 0 : huge_page_bytes - past;
  if (head != 0) munmap(begin, head);
  munmap(begin + head + bytes, huge_page_bytes - head);
  madvise(begin + head, bytes, MADV_HUGEPAGE);  // advisory: without it pages are small
  return begin + head;
}

SINTER_INLINE void* system_memory(std::size_t capacity) {
  if (capacity < huge_page_bytes) return std::aligned_alloc(storage_alignment, capacity);
  return map_huge(round_up(capacity, huge_page_bytes));
}

SINTER_INLINE void delete_block(StorageBlock* block) {
  if (block->capacity >= huge_page_bytes) {
    munmap(block->data, round_up(block->capacity, huge_page_bytes));
  } else if (block->capacity != 0) {
    std::free(block->data);
  }
  delete block;
}

SINTER_INLINE void delete_blocks(StorageBlock* first) {
  while (first != nullptr) delete_block(std::exchange(first, first->next));
}

SINTER_INLINE StorageBlock* system_block(std::size_t capacity) {
  auto* const block = new (std::nothrow) StorageBlock;
  if (block == nullptr) return nullptr;
  block->data = system_memory(capacity);
  if (block->data == nullptr) {
    delete block;
    return nullptr;
  }
  block->capacity = capacity;
  return block;
}

// Counts the allocation of a block. The caller holds the lock.
SINTER_INLINE void count_allocation(Allocator& state, std::size_t index) {
  ++state.stats.allocations;
  state.stats.live_bytes += static_cast<std::int64_t>(class_bytes(index));
  state.stats.peak_bytes = std::max(state.stats.peak_bytes, state.stats.live_bytes);
  state.max_live_bytes = std::max(state.max_live_bytes, state.stats.live_bytes);
}

// An idle block of the class, or of a slightly larger one; null if there is none.
SINTER_INLINE StorageBlock* take_idle(Allocator& state, std::size_t index) {
  const std::lock_guard lock(state.mutex);
  const std::size_t last = last_class_for(index);
  while (index < last && state.idle[index] == nullptr) ++index;
  StorageBlock* const block = state.idle[index];
  if (block == nullptr) return nullptr;
  state.idle[index] = block->next;
  state.stats.idle_bytes -= static_cast<std::int64_t>(class_bytes(index));
  count_allocation(state, index);
  return block;
}

// A block from the system, if necessary after freeing the idle blocks; null if memory runs out.
SINTER_INLINE StorageBlock* take_fresh(Allocator& state, std::size_t index) {
  StorageBlock* block = system_block(class_bytes(index));
  if (block == nullptr && release_idle_memory() > 0) block = system_block(class_bytes(index));
  if (block == nullptr) return nullptr;
  const std::lock_guard lock(state.mutex);
  ++state.stats.system_allocations;
  count_allocation(state, index);
  return block;
}

// Removes the least recently freed block among the heads of the idle lists.
SINTER_INLINE StorageBlock* take_oldest(Allocator& state) {
  StorageBlock** oldest = nullptr;
  for (StorageBlock*& first : state.idle) {
    if (first != nullptr && (oldest == nullptr || first->freed < (*oldest)->freed)) oldest = &first;
  }
  StorageBlock* const block = *oldest;
  *oldest = block->next;
  state.stats.idle_bytes -= static_cast<std::int64_t>(block->capacity);
  return block;
}

// Removes idle blocks, the oldest first, until live and idle memory together are at most the peak
// of live memory: more idle memory is never needed.
SINTER_INLINE StorageBlock* take_surplus(Allocator& state) {
  StorageBlock* surplus = nullptr;
  while (state.stats.idle_bytes + state.stats.live_bytes > state.max_live_bytes) {
    StorageBlock* const block = take_oldest(state);
    block->next = std::exchange(surplus, block);
  }
  return surplus;
}

SINTER_INLINE void recycle(StorageBlock* block) noexcept {
  if (block->attached.load(MemoryOrder::relaxed)) delete block->attached.exchange(nullptr);
  if (block->device.is_cuda()) return gpu_backend()->recycle(block);
  if (block->capacity == 0) {
    if (block->release != nullptr) block->release(block->owner);
    return delete_block(block);
  }
  Allocator& state = allocator();
  StorageBlock* surplus = nullptr;
  {
    const std::lock_guard lock(state.mutex);
    const auto bytes = static_cast<std::int64_t>(block->capacity);
    block->freed = ++state.freed;
    block->next = std::exchange(state.idle[size_class(block->capacity)], block);
    state.stats.live_bytes -= bytes;
    state.stats.idle_bytes += bytes;
    surplus = take_surplus(state);
  }
  delete_blocks(surplus);
}

[[noreturn]] SINTER_INLINE void throw_out_of_memory(std::size_t bytes, std::string_view purpose,
                                                    Where where) {
  const OutsidePublicCalls elsewhere;  // the report names no public function
  throw ValueError({.op = "allocate",
                    .what = "not enough memory",
                    .facts = {{"asked", text(bytes, " bytes")},
                              {"for", std::string(purpose)},
                              {"in use", text(memory_stats().live_bytes, " bytes")}},
                    .fix = "use smaller batches or shapes, or release tensors earlier",
                    .where = where});
}

// A block with one reference, and whether it comes from the system.
struct TakenBlock {
  StorageBlock* block = nullptr;
  bool is_fresh = false;
};

SINTER_INLINE TakenBlock take_block(std::size_t bytes, std::string_view purpose, Where where) {
  constexpr std::size_t limit = std::size_t{1} << 47;  // what an address can name
  if (bytes > limit || allocation_fails()) throw_out_of_memory(bytes, purpose, where);
  const std::size_t index = size_class(bytes);
  TakenBlock result{take_idle(allocator(), index)};
  result.is_fresh = result.block == nullptr;
  if (result.is_fresh) result.block = take_fresh(allocator(), index);
  if (result.block == nullptr) throw_out_of_memory(bytes, purpose, where);
  result.block->references.store(1, MemoryOrder::relaxed);
  result.block->bytes = bytes;
  return result;
}

SINTER_INLINE Storage Storage::allocate(std::size_t bytes, Device device, Where where,
                                        std::string_view purpose) {
  if (device.is_cuda()) return gpus_for(device, where).allocate(bytes, device, where, purpose);
  return Storage(detail::take_block(bytes, purpose, where).block);
}

SINTER_INLINE Storage Storage::zeros(std::size_t bytes, Where where) {
  const auto [block, is_fresh] = detail::take_block(bytes, "a tensor", where);
  const bool is_mapped = is_fresh && block->capacity >= huge_page_bytes;
  if (!is_mapped) std::memset(block->data, 0, block->capacity);
  return Storage(block);
}

SINTER_INLINE Storage Storage::borrow(const void* memory, std::size_t bytes) {
  auto* const block = new detail::StorageBlock;
  block->data = const_cast<void*>(memory);
  block->bytes = bytes;
  return Storage(block);
}

SINTER_INLINE Storage Storage::borrow(const void* memory, std::size_t bytes, void (*release)(void*),
                                      void* owner) {
  Storage result = borrow(memory, bytes);
  result.block_->release = release;
  result.block_->owner = owner;
  return result;
}

}  // namespace detail

SINTER_INLINE MemoryStats memory_stats(Device device, Where where) {
  if (device.is_cuda()) return detail::gpus_for(device, where).stats(device, where);
  detail::Allocator& state = detail::allocator();
  const std::lock_guard lock(state.mutex);
  return state.stats;
}

SINTER_INLINE void reset_memory_stats(Device device, Where where) {
  if (device.is_cuda()) return detail::gpus_for(device, where).reset_stats(device, where);
  detail::Allocator& state = detail::allocator();
  const std::lock_guard lock(state.mutex);
  state.stats.allocations = 0;
  state.stats.system_allocations = 0;
  state.stats.peak_bytes = state.stats.live_bytes;
}

SINTER_INLINE std::int64_t release_idle_memory(Device device, Where where) {
  if (device.is_cuda()) return detail::gpus_for(device, where).release_idle(device, where);
  detail::Allocator& state = detail::allocator();
  std::array<detail::StorageBlock*, detail::size_classes> idle{};
  std::int64_t released = 0;
  {
    const std::lock_guard lock(state.mutex);
    std::swap(idle, state.idle);
    released = std::exchange(state.stats.idle_bytes, 0);
  }
  for (detail::StorageBlock* block : idle) detail::delete_blocks(block);
  return released;
}

}  // namespace sinter::inline SINTER_ABI
