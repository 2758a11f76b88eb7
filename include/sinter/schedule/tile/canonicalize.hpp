#pragma once
// Blocks in the form that a GPU streams over: one loop over the steps of a row, and numbers of a
// row that stay in registers.

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Makes one loop of several that go over the elements of a local row of `block` together, as those
/// over the heads of a group and their queries do.
void merge_steps(Kernel& block);

/// What `block` stores of a row, for others, is not read back by its later stages.
void keep_stored_numbers(Kernel& block);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/canonicalize.ipp>
#endif
