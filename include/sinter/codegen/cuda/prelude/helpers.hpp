#pragma once
// The set of all helpers that generated CUDA may call.

#include <sinter/codegen/text/prelude.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

HelperSet& cuda_helpers();

/// Their tables, for a language that has other helpers in front of them.
HelperTables cuda_helper_tables();

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/prelude/helpers.ipp>
#endif
