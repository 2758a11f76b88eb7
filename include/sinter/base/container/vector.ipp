#pragma once

#include <cstring>  // std::memcpy

#include <sinter/base/container/vector.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE void VectorMemory::allocate(std::size_t capacity, std::size_t bytes_of_element,
                                          Relocate relocate) {
  if (capacity <= capacity_) return;
  void* const memory = ::operator new(capacity* bytes_of_element);
  if (size_ > 0 && relocate != nullptr) relocate(memory, memory_, size_);
  if (size_ > 0 && relocate == nullptr) std::memcpy(memory, memory_, size_ * bytes_of_element);
  ::operator delete(memory_);
  memory_ = memory;
  capacity_ = capacity;
}

SINTER_INLINE void VectorMemory::grow(std::size_t size, std::size_t bytes_of_element,
                                      Relocate relocate) {
  constexpr std::size_t fewest_bytes = 32;  // so that short lists are allocated once
  std::size_t capacity = fewest_bytes / bytes_of_element;
  if (capacity < 2 * capacity_) capacity = 2 * capacity_;
  if (capacity < size) capacity = size;
  allocate(capacity, bytes_of_element, relocate);
}

}  // namespace sinter::inline SINTER_ABI::detail
