#pragma once

#include <sinter/base/text.hpp>
#include <sinter/codegen/cpp/custom.hpp>
#include <sinter/codegen/cuda/custom.hpp>
#include <sinter/codegen/cuda/nest/function_head.hpp>
#include <sinter/codegen/text/writer.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE std::string cuda_custom_function(const schedule::Kernel& kernel,
                                               const std::string& name,
                                               const CudaOptions& options) {
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

SINTER_INLINE CudaLaunch cuda_custom_launch(const schedule::Kernel& kernel,
                                            const CudaOptions& options) {
  const int threads = options.target.cuda.custom_threads;
  return {max(ceil_div(kernel.symbols.back(), threads), 1), threads, 0};
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
