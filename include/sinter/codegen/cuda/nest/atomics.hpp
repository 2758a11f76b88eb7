#pragma once
// Scatter-add: which additions to indexed elements threads may perform in parallel, with atomics.

#include <sinter/base/container/optional.hpp>
#include <sinter/codegen/text/layout.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// True if a store of the kernel accumulates. Different iterations may add to the same element.
bool adds_to_memory(const Kernel& kernel);

/// True if `store` may be an atomic addition, in any order, by any thread. Not for floating types
/// under `strict`, where sums keep their order, and not for bytes, which GPUs cannot add
/// atomically.
bool adds_atomically(const Instruction& store, bool strict);

/// `kernel` with its loops moved into the grid, so that every iteration is a point of it, if all
/// its stores are atomic additions. Loops that neighbouring threads share come last.
Optional<Kernel> spread_atomic_adds(const Kernel& kernel, bool strict);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/atomics.ipp>
#endif
