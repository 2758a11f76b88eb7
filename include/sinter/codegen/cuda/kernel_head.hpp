#pragma once
// Where the head of a CUDA kernel is in its text, and its parameters.

#include <cstddef>  // std::size_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

/// The declaration of a parameter: "const float* in0" is "const float*" and "in0".
struct CudaParameter {
  std::string type{}, name{};
};

/// Where the function of a kernel is in its text.
struct CudaHead {
  std::size_t start = 0, open = 0, close = 0;  ///< Of the function, of its parameters
  std::vector<CudaParameter> parameters{};
};

CudaHead head_of(const std::string& function);

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/kernel_head.ipp>
#endif
