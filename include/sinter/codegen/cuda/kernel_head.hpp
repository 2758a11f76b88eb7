#pragma once
// Finds the signature of a CUDA kernel in its text, and parses its parameters.

#include <cstddef>  // std::size_t
#include <string>   // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

/// The declaration of a parameter: "const float* in0" is "const float*" and "in0".
struct CudaParameter {
  std::string type{}, name{};
};

/// Positions in the text of a kernel.
struct CudaHead {
  std::size_t start = 0, open = 0, close = 0;  ///< Start of the function; its parentheses.
  Vector<CudaParameter> parameters{};
};

CudaHead head_of(const std::string& function);

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/kernel_head.ipp>
#endif
