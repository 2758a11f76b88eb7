#pragma once
// Writes any kernel as a C++ function.

#include <string>  // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of `kernel`, without its finalizers, as the function `name`.
std::string cpp_function(const schedule::Kernel& kernel, const std::string& name,
                         const CppOptions& options, Linkage linkage = Linkage::exported);

/// The text of `kernel` as the function `name`: with finalizers, one that calls the kernel on all
/// threads, and its finalizers on the last thread to end.
std::string function_with_finalizers(const schedule::Kernel& kernel, const std::string& name,
                                     const CppOptions& options);

/// The inputs whose packed panels the text of `kernel` keeps between calls; `input` is the number
/// of one of its buffers.
Vector<schedule::PackedInput> packed_inputs_of(const schedule::Kernel& kernel,
                                               const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/function.ipp>
#endif
