#pragma once
// Scratch memory of row-tiled kernels. A row that passes between subkernels is kept for all rows of
// the tile, and reuses the memory of a row that is no longer needed. A row private to a subkernel
// is allocated once.

#include <cstdint>  // std::int32_t

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Subkernels;

/// Sets `is_private` and `storage` of `subkernels`. `subkernel_of` names the subkernel of each
/// instruction of `whole`.
void place_scratch(const Kernel& whole, const Vector<std::int32_t>& subkernel_of,
                   Subkernels& subkernels);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/scratch.ipp>
#endif
