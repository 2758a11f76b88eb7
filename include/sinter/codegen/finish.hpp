#pragma once
// Writes a kernel that has a finish: its parts as functions, and one that calls
// the first on all threads and the others on the thread that ends last.

#include <string>  // std::string

#include <sinter/codegen/cpp.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of `kernel` and of its finish, if it has one, as the function `name`.
std::string function_with_finish(const schedule::Kernel& kernel, const std::string& name,
                                 const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/finish.ipp>
#endif
