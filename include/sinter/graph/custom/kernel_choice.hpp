#pragma once
// What the attribute "kernel" of a lowered custom node says: "call", "cpp" or "cuda".

#include <string_view>  // std::string_view

#include <sinter/config.hpp>
#include <sinter/graph/custom/custom_code.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The function of the text that computes the node: "cpp" or "cuda".
const UserFunction& chosen_function(const CustomCode& code, std::string_view kernel);

/// Whether the text runs on the host.
bool is_cpp(std::string_view kernel);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/custom/kernel_choice.ipp>
#endif
