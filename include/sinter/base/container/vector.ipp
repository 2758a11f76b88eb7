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

}  // namespace sinter::inline SINTER_ABI::detail
