#pragma once

#include <sinter/graph/custom/kernel_choice.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE const UserFunction& chosen_function(const CustomCode& code, std::string_view kernel) {
  return kernel == "cuda" ? code.cuda_function : code.cpp_function;
}

SINTER_INLINE bool is_cpp(std::string_view kernel) { return kernel == "cpp"; }

}  // namespace sinter::inline SINTER_ABI::detail
