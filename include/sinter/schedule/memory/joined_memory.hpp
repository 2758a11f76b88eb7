#pragma once
// Buffers that are computed, or left, one after the other in the memory of another.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Plan;

/// Makes the inputs of each control that joins parts of its last result, and the results of each
/// that splits parts of its last input: each begins at the next multiple of 64 bytes. Left apart
/// are inputs that others read later, inputs and outputs of the graph, and symbolic sizes.
void join_memory(Plan& plan);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/memory/joined_memory.ipp>
#endif
