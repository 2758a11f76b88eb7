#pragma once
// Prints the kernel of a custom operation as CUDA.

#include <string>  // std::string

#include <sinter/base/text.hpp>
#include <sinter/codegen/cpp/custom.hpp>
#include <sinter/codegen/cuda/nest/function_head.hpp>
#include <sinter/codegen/cuda/nest/launch.hpp>
#include <sinter/codegen/cuda/nest/options.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The custom `kernel` as the CUDA function `name`, which calls that of the user.
inline std::string cuda_custom_function(const schedule::Kernel& kernel, const std::string& name,
                                        const CudaOptions& options = {}) {
  Writer out;
  out.add(user_definition(*kernel.custom, Language::cuda));
  out.line({"#line 1 \"", kernel.custom->name, "(...)\""});
  CudaFunction{kernel, options.in_body}.write(
      out, name, text(options.target.cuda.custom_threads), [&] {
        out.add(user_call(kernel, Language::cuda, "blockIdx.x * (long)blockDim.x + threadIdx.x",
                          "gridDim.x * (long)blockDim.x"));
      });
  out.line("#line 1 \"kernels\"");
  return out.str();
}

/// CudaLimits::custom_threads to a block, and a thread for each element of the first result.
inline CudaLaunch cuda_custom_launch(const schedule::Kernel& kernel,
                                     const CudaOptions& options = {}) {
  const int threads = options.target.cuda.custom_threads;
  return {max(ceil_div(kernel.symbols.back(), threads), 1), threads, 0};
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
