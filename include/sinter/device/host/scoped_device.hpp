#pragma once
// The current device of this thread, on which new tensors are created.

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/device.hpp>

namespace sinter::inline SINTER_ABI {

/// The device of the innermost ScopedDevice of this thread; the host outside of them.
Device current_device();

/// While it lives, this thread creates tensors on `device`. Scopes nest.
///
/// Throws DeviceError, with the reason, unless operations can run on `device`.
struct ScopedDevice {
  explicit ScopedDevice(Device device, Where where = Where::current());
  ScopedDevice(const ScopedDevice&) = delete;
  ScopedDevice& operator=(const ScopedDevice&) = delete;
  ~ScopedDevice();

 private:
  Device outer_;
};

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/device/host/scoped_device.ipp>
#endif
