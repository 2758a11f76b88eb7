#pragma once
// Copies between the host and GPUs, and between GPUs.

#include <sinter/base/where.hpp>
#include <sinter/device/host/storage.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Copies all bytes of `from` to `to`, which has at least so many, each on any device.
///
/// What reads and writes the two on GPUs is in order with it. The host waits only if `to` is its
/// own: memory of the host may be read, or changed, when this returns.
void copy_bytes(const Storage& to, const Storage& from, Where where = Where::current());

/// The bytes of `memory` where the host can read them: its own, or a copy that is kept with it
/// until the bytes change.
const void* host_bytes(const Storage& memory, Where where = Where::current());

/// A copy of `from` on `device`.
Storage copied_to(const Storage& from, Device device, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/copy.ipp>
#endif
