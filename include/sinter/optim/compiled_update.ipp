#pragma once

#include <sinter/jit/state/differentiated.hpp>
#include <sinter/optim/compiled_update.hpp>
#include <sinter/trace/context/state.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/interop/host.hpp>

namespace sinter::inline SINTER_ABI::optim {

SINTER_INLINE bool compiles_steps() {
  return sinter::detail::jit::has_compiled_gradients() && !is_recording() &&
         sinter::detail::current_body == 0 && sinter::detail::active_differentiations() == 0 &&
         !sinter::detail::calls_are_disabled() && current_stance() != Stance::force_eager &&
         sinter::detail::created_states == nullptr;  // GradScaler undoes what it sees
}

}  // namespace sinter::inline SINTER_ABI::optim
