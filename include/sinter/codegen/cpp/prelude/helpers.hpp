#pragma once
// All helpers of generated C++.

#include <sinter/codegen/text/prelude.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

HelperSet& cpp_helpers();

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/prelude/helpers.ipp>
#endif
