#pragma once
// Prints the texts of custom operations: as kernels of their own, and as functions of elements.

#include <string>  // std::string

#include <sinter/base/source.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of `code` in a namespace of its own, which a translation unit has once.
std::string user_definition(const CustomCode& code, Language language);

/// The call of the function of the custom `kernel`, whose operands and results are the pointers
/// p0, p1, ... and whose sizes are n0, n1, ... An elementwise function is called for the elements
/// from `first` on, in steps of `step`.
std::string user_call(const schedule::Kernel& kernel, Language language, std::string_view first,
                      std::string_view step);

/// The custom `kernel` as the C++ function `name`, which its first thread computes.
std::string custom_function(const schedule::Kernel& kernel, const std::string& name,
                            Linkage linkage);

/// What the text of `kernel` needs in front of it: for each of its custom_elementwise instructions
/// the text of the user, and a function template that calls it for each lane of a vector.
std::string user_functions(const schedule::Kernel& kernel, Language language);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/custom.ipp>
#endif
