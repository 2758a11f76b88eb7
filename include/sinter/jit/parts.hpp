#pragma once
// Compiles the parts that core.hpp leaves out: custom operations, hints, and checks of numerics.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Fills in parts() and custom_stages(). Returns true.
bool install_parts();

// In every translation unit, so that they are there from the start.
[[maybe_unused]] static const bool parts_are_installed = install_parts();

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/parts.ipp>
#endif
