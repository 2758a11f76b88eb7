#pragma once
// Writes a kernel with finalizers: a function that calls the kernel on all threads, and its
// finalizers on the last thread to end.

#include <string>  // std::string

#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of `kernel`, with its finalizers if it has any, as the function `name`.
std::string function_with_finalizers(const schedule::Kernel& kernel, const std::string& name,
                                     const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/finalizer.ipp>
#endif
