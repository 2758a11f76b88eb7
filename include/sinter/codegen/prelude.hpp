#pragma once
// The helpers that kernels call: those whose names occur in their texts, and what these need.

#include <span>    // std::span
#include <string>  // std::string

#include <sinter/base/source.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The definitions of all helpers that `kernels` need, each after those that it calls itself.
std::string prelude(Language language, std::span<const Source> kernels);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/prelude.ipp>
#endif
