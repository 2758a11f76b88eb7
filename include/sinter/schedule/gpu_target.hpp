#pragma once
// A GPU as a target: thread blocks, with shared memory each.

#include <sinter/config.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The policies of a GPU with these multiprocessors: by default those of an H200.
Target gpu_target(Multiprocessors gpu = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/gpu_target.ipp>
#endif
