#pragma once
// Prints the kernel of a custom operation as CUDA.

#include <string>  // std::string

#include <sinter/codegen/cuda/nest/launch.hpp>
#include <sinter/codegen/cuda/nest/options.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The custom `kernel` as the CUDA function `name`, which calls that of the user.
std::string cuda_custom_function(const schedule::Kernel& kernel, const std::string& name,
                                 const CudaOptions& options = {});

/// CudaLimits::custom_threads to a block, and a thread for each element of the first result.
CudaLaunch cuda_custom_launch(const schedule::Kernel& kernel, const CudaOptions& options = {});

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/custom.ipp>
#endif
