#pragma once
// Which version of the stages that write kernels this is.

#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The hash of the sources of pass, schedule and codegen, and of what they share with generated
/// code. Part of every cache key: kernels that another version wrote are not taken. A test compares
/// it with the files; SINTER_UPDATE_GOLDEN=1 writes it anew.
inline constexpr std::string_view generator_fingerprint = "d31edbc46e0308ed78e98feb43e7a519";

}  // namespace sinter::inline SINTER_ABI::detail::jit
