#pragma once
// Where the local rows of a block lie: a row that passes between parts is kept for all rows of the
// block, in the memory of one that is not needed any more; others share one row.

#include <cstdint>  // std::int32_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct BlockParts;

/// Sets `single` and `homes` of `parts`. `part_of` says for each instruction of `whole` which part
/// runs it.
void place_locals(const Kernel& whole, const std::vector<std::int32_t>& part_of, BlockParts& parts);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/scratch.ipp>
#endif
