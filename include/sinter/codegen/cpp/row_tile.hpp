#pragma once
// Writes kernels whose products share what is the same for neighbouring rows: a function for each
// part, and one that calls them for block after block of rows.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of `kernel`, one that is_block(), as the function `name`. What passes between its parts
/// lies in scratch memory of a thread, for as many rows at a time as fit in a cache.
std::string block_function(const schedule::Kernel& kernel, const std::string& name,
                           const CppOptions& options, Linkage linkage = Linkage::exported);

/// What the text of `kernel`, one that is_block(), keeps from call to call.
std::vector<schedule::Kept> kept_by_block(const schedule::Kernel& kernel,
                                          const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/row_tile.ipp>
#endif
