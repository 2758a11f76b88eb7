#pragma once
// What a call may do where something was not compiled before, and who asks for it.

#include <cstdint>  // std::uint8_t

#include <sinter/config.hpp>
#include <sinter/jit/interface/stance.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// What a call does where something was not compiled before.
enum class OnMiss : std::uint8_t { compile, interpret, refuse };

/// Who asks for something to be compiled: a call, or prepare(), which waits for it.
enum class Asker : std::uint8_t { call, prepare };

/// What this thread's stance allows where a call after the first needs something that is not
/// compiled.
inline OnMiss on_recompile() {
  const Stance stance = current_stance();
  if (stance == Stance::fail_on_recompile) return OnMiss::refuse;
  return stance == Stance::eager_on_recompile ? OnMiss::interpret : OnMiss::compile;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
