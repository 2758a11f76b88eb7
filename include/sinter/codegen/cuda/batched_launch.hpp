#pragma once
// Batched GPU launches (horizontal fusion): each block looks up which kernel of the batch it runs.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Rewrites `function`, the text of a batched `kernel` that reports no faults, so that its function
/// `name` ("add_f32_0123abcd") takes a table of launches in place of its parameters:
///
///     name(const parts_0123abcd table)
///
/// Each block does what it would do in a separate launch of its entry. The words of the table are
/// described in schedule/launch/batched.hpp.
std::string batched_function(const std::string& function, const schedule::Kernel& kernel,
                             const std::string& name);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/batched_launch.ipp>
#endif
