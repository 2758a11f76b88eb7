#pragma once

#include <sinter/device/host/gpu.hpp>
#include <sinter/device/host/scoped_device.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE Device& device_of_thread() {
  thread_local Device device;
  return device;
}

}  // namespace detail

SINTER_INLINE Device current_device() { return detail::device_of_thread(); }

SINTER_INLINE ScopedDevice::ScopedDevice(Device device, Where where) : outer_(current_device()) {
  require_runnable(device, where);
  detail::device_of_thread() = device;
}

SINTER_INLINE ScopedDevice::~ScopedDevice() { detail::device_of_thread() = outer_; }

}  // namespace sinter::inline SINTER_ABI
