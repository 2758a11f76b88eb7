#pragma once
// State that is created on first use, such as the moments of an optimizer.

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// Sets the undefined `member` to `initial`. In a recording it becomes an input with that initial
/// value, since replays find it there. `member` must not move before the recorded function returns.
void create_state(Tensor& member, Tensor initial);

namespace detail {

struct StateBefore {
  Tensor* member;
  Tensor value;
};
/// Receives the state that this thread creates, for what may have to undo it; may be null.
inline thread_local Vector<StateBefore>* created_states = nullptr;

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/context/state.ipp>
#endif
