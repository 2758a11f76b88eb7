#pragma once
// Kernels of a GPU that have parts: each block finds out to which part it belongs.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of `kernel`, which has parts and reports no faults, but that its function, which is
/// called `name`, "add_f32_0123abcd", is
///
///     name(const parts_0123abcd table)
///
/// and does in each block what that block of a launch of its part alone would do. See
/// schedule/launch/batched.hpp for the words of the table.
std::string with_parts(const std::string& function, const schedule::Kernel& kernel,
                       const std::string& name);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/batched_launch.ipp>
#endif
