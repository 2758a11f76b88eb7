#pragma once
// Writes any kernel without a finalizer as one C++ function.

#include <string>  // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of any kernel as the function `name`.
std::string cpp_function(const schedule::Kernel& kernel, const std::string& name,
                         const CppOptions& options, Linkage linkage = Linkage::exported);

/// The inputs whose packed panels the text of `kernel` keeps between calls; `input` is the number
/// of one of its buffers.
Vector<schedule::PackedInput> packed_inputs_of(const schedule::Kernel& kernel,
                                               const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/function.ipp>
#endif
