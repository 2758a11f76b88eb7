#pragma once

#include <sinter/base/text.hpp>
#include <sinter/codegen/cpp/custom.hpp>
#include <sinter/codegen/cuda/custom.hpp>
#include <sinter/codegen/text/scalar.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE std::string cuda_custom_function(const schedule::Kernel& kernel,
                                               const std::string& name,
                                               const CudaOptions& options) {
  std::string result = user_definition(*kernel.custom, Language::cuda);
  result += text("#line 1 \"", kernel.custom->name, "(...)\"\n",
                 "extern \"C\" __global__ void __launch_bounds__(",
                 options.target.cuda.custom_threads, ") ", name, "(");
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const schedule::Argument& one = kernel.arguments[i];
    result += text(one.access == schedule::Access::read ? "const " : "", memory_type(one.dtype),
                   "* p", i, ", ");
  }
  for (std::size_t i = 0; i < kernel.symbols.size(); ++i) result += text("long n", i, ", ");
  return text(result, "Context* context) {\n",
              user_call(kernel, Language::cuda, "blockIdx.x * (long)blockDim.x + threadIdx.x",
                        "gridDim.x * (long)blockDim.x"),
              "}\n#line 1 \"kernels\"\n");
}

SINTER_INLINE CudaLaunch cuda_custom_launch(const schedule::Kernel& kernel,
                                            const CudaOptions& options) {
  const int threads = options.target.cuda.custom_threads;
  return {max(ceil_div(kernel.symbols.back(), threads), 1), threads, 0};
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
