#pragma once
// In-place updates: which kernels may write the new value of an input into its memory.

#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// Whether `lowered` may write `output`, the new value of `input`, into the memory of `input`: it
/// does not read `input`, or it stores `output` once, without adding to it, and loads only the
/// element of `input` that it stores next. A kernel that sorts may not. Other kernels that read
/// `input` are left to find_launch_order(). For temporaries see may_write_over(), which also
/// compares indices of different stages.
bool may_write_in_place(const LoweredKernel& lowered, NodeId input, NodeId output);

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/in_place_updates.ipp>
#endif
