#pragma once
// Memory of GPUs that comes from other libraries of this process, or goes to them.

#include <sinter/base/where.hpp>
#include <sinter/device/cuda/memory.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Memory of a GPU from outside, which is never written and never given away. `release(owner)` is
/// called once, when no copy is left and the work that was given with it is done, which the host
/// waits for; it must not throw. If this throws, it is not called.
///
/// More than one may start at one address, also where memory of sinter does: all stay while one is
/// left, and memory_at() gives the first.
Storage borrow_on(Device device, const void* memory, std::size_t bytes, void (*release)(void*),
                  void* owner, Where where);

/// Waits on the host until all work that was given with memory of a GPU is done.
void await_work_with(const Storage& memory, Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/external_memory.ipp>
#endif
