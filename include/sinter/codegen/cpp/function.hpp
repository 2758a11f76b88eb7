#pragma once
// Writes any kernel without a finalizer as one C++ function.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of any kernel as the function `name`.
std::string cpp_function(const schedule::Kernel& kernel, const std::string& name,
                         const CppOptions& options, Linkage linkage = Linkage::exported);

/// What the text of `kernel` keeps from call to call; `input` is the number of one of its buffers.
std::vector<schedule::Kept> kept_by(const schedule::Kernel& kernel, const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/function.ipp>
#endif
