#pragma once
// Sparse in-place updates: kernels that leave most of their output unchanged run only where they
// change it.

#include <cstdint>  // std::int32_t

#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Restricts `lowered` to the elements that it changes. It does if a condition selects between a
/// new value and the old element of argument `input`, and the condition holds only where one grid
/// loop has one value or is in a subrange. Returns false, and changes nothing, otherwise. `store`
/// has to be the only store of `lowered`, which has no scratch memory. Checks of other elements are
/// lost: see checks_of().
bool restrict_to_changes(LoweredKernel& lowered, ValueId store, std::int32_t input);

/// A kernel that runs the checks of `lowered`, which has no scratch memory, and writes nothing.
LoweredKernel checks_of(const LoweredKernel& lowered);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/restrict_to_changes.ipp>
#endif
