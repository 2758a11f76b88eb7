#pragma once
// State that comes into being when it is first needed, as the moments of an optimizer.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// `member`, which is undefined, becomes `initial`. In a recording it becomes an input that starts
/// so, because the calls that replay the recording find it there. `member` must not move before the
/// function that is recorded returns.
void create_state(Tensor& member, Tensor initial);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/context/state.ipp>
#endif
