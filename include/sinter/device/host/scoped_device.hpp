#pragma once
// The device on which tensors are made, on this thread.

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/device.hpp>

namespace sinter::inline SINTER_ABI {

/// The device of the innermost ScopedDevice of this thread; the host outside of them.
Device current_device();

/// While it lives, tensors of this thread are made on `device`. Scopes nest.
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
