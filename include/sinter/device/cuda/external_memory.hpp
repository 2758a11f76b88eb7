#pragma once
// GPU memory shared with other libraries of this process, as through DLPack.

#include <sinter/base/where.hpp>
#include <sinter/device/cuda/memory.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Borrows GPU memory of another library, which is never written and never recycled.
/// `release(owner)` is called once, when no copy is left and the host has waited for all work that
/// uses the memory; it must not throw. It is not called if this function throws.
///
/// Several borrowed storages may start at one address, also at one of sinter's own: the first stays
/// alive while one of them is left, and memory_at() returns the first.
Storage borrow_on(Device device, const void* memory, std::size_t bytes, void (*release)(void*),
                  void* owner, Where where);

/// Waits on the host for all submitted work that uses `memory`, on a GPU.
void await_work_with(const Storage& memory, Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/external_memory.ipp>
#endif
