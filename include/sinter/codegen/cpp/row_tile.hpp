#pragma once
// Writes row-tiled kernels: a function for each subkernel, and one that calls them tile by tile.

#include <string>  // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of `kernel`, a row-tiled one, as the function `name`. What its subkernels pass on is in
/// scratch memory of a thread, for as many rows at a time as fit in a cache.
std::string row_tile_function(const schedule::Kernel& kernel, const std::string& name,
                              const CppOptions& options, Linkage linkage = Linkage::exported);

/// The inputs whose packed panels the text of `kernel`, a row-tiled one, keeps between calls.
Vector<schedule::PackedInput> packed_inputs_of_row_tile(const schedule::Kernel& kernel,
                                                        const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/row_tile.ipp>
#endif
