#pragma once

#include <cstring>  // std::memcpy

#include <sinter/device/host/copy.hpp>
#include <sinter/device/host/gpu.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE void copy_bytes(const Storage& to, const Storage& from, Where where) {
  if (from.bytes() == 0) return;
  const Device device = to.device().is_cuda() ? to.device() : from.device();
  if (device.is_cuda()) return gpus_for(device, where).copy(to, from, where);
  std::memcpy(to.data(), from.data(), from.bytes());
}

SINTER_INLINE const void* host_bytes(const Storage& memory, Where where) {
  if (memory.device().is_cpu()) return memory.data();
  return gpus_for(memory.device(), where).host_bytes(memory, where);
}

SINTER_INLINE Storage copied_to(const Storage& from, Device device, Where where) {
  Storage result = Storage::allocate(from.bytes(), device, where, "a copy of a tensor");
  copy_bytes(result, from, where);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail
