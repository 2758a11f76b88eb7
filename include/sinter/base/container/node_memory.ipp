#pragma once

#include <new>  // operator new

#include <sinter/base/container/node_memory.hpp>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>  // __asan_poison_memory_region
#endif

namespace sinter::inline SINTER_ABI::detail {

// Marks bytes as unused, or as in use, for the address sanitizer.
inline void forbid_access([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  __asan_poison_memory_region(memory, bytes);
#endif
}
inline void allow_access([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(memory, bytes);
#endif
}

SINTER_INLINE void NodeMemory::add_block(std::size_t bytes) {
  const std::size_t head = aligned(sizeof(Link));
  std::size_t size = block_bytes_ == 0 ? smallest_block : 2 * block_bytes_;
  if (size > largest_block) size = largest_block;
  if (size < head + bytes) size = head + bytes;
  void* const memory = ::operator new(size);
  blocks_ = ::new (memory) Link{blocks_};
  block_bytes_ = size;
  next_ = static_cast<char*>(memory) + head;
  left_ = size - head;
}

SINTER_INLINE void* NodeMemory::take(std::size_t bytes) {
  if (free_ != nullptr) {
    Link* const result = free_;
    free_ = result->next;
    allow_access(result, bytes);
    return result;
  }
  const std::size_t size = aligned(bytes);
  if (left_ < size) add_block(size);
  char* const result = next_;
  next_ += size;
  left_ -= size;
  return result;
}

SINTER_INLINE void NodeMemory::give_back(void* node, std::size_t bytes) noexcept {
  free_ = ::new (node) Link{free_};
  forbid_access(free_ + 1, bytes - sizeof(Link));
}

SINTER_INLINE void NodeMemory::release() noexcept {
  while (blocks_ != nullptr) {
    Link* const block = blocks_;
    blocks_ = block->next;
    ::operator delete(block);
  }
  free_ = nullptr;
  next_ = nullptr;
  left_ = block_bytes_ = 0;
}

}  // namespace sinter::inline SINTER_ABI::detail
