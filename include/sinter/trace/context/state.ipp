#pragma once

#include <sinter/trace/context/state.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE void create_state(Tensor& member, Tensor initial) {
  if (detail::Recorder* const recorder = detail::current_recorder()) {
    recorder->create_state(member, std::move(initial));
  } else {
    member = std::move(initial);
  }
  if (detail::created_states != nullptr) detail::created_states->push_back({&member, member});
}

}  // namespace sinter::inline SINTER_ABI
