#pragma once
// Copies between the host and GPUs, and between GPUs.

#include <sinter/base/where.hpp>
#include <sinter/device/host/storage.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Copies all bytes of `from` to `to`, which is at least as large; each may be on any device.
///
/// The copy is ordered with GPU work on both storages. The host waits only for copies to the host:
/// when this returns, host memory may be read or changed.
void copy_bytes(const Storage& to, const Storage& from, Where where = Where::current());

/// The bytes of `memory`, readable by the host: the memory itself, or a copy that is cached with it
/// until the bytes change.
const void* host_bytes(const Storage& memory, Where where = Where::current());

/// A copy of `from` on `device`.
Storage copied_to(const Storage& from, Device device, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/host/copy.ipp>
#endif
