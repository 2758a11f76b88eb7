#pragma once
// What a call may do when it needs something that is not compiled, and who requests it.

#include <cstdint>  // std::uint8_t

#include <sinter/config.hpp>
#include <sinter/jit/interface/stance.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// What to do when something is not compiled.
enum class OnMiss : std::uint8_t { compile, interpret, refuse };

/// Who requests a compilation: a call, or prepare(), which always waits for it.
enum class Requester : std::uint8_t { call, prepare };

/// What the stance of this thread allows when a call other than the first needs a compilation.
inline OnMiss on_recompile() {
  const Stance stance = current_stance();
  if (stance == Stance::fail_on_recompile) return OnMiss::refuse;
  return stance == Stance::eager_on_recompile ? OnMiss::interpret : OnMiss::compile;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
