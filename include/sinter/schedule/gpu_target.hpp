#pragma once
// A GPU as a target: thread blocks, with shared memory each.

#include <cstddef>  // std::size_t

#include <sinter/config.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// `argument_bytes`: the most bytes of arguments of a launch; every driver takes the default. See
/// most_argument_bytes().
Target gpu_target(std::size_t argument_bytes = 4096);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/gpu_target.ipp>
#endif
