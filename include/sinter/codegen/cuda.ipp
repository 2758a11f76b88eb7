#pragma once

#include <sinter/codegen/cuda.hpp>
#include <sinter/codegen/cuda_control.hpp>
#include <sinter/codegen/cuda_nest.hpp>
#include <sinter/codegen/cuda_product.hpp>
#include <sinter/codegen/prelude.hpp>

namespace sinter::inline SINTER_ABI::codegen {

SINTER_INLINE Source emit_cuda(const schedule::Kernel& kernel, const CudaOptions& options) {
  Hasher hasher;
  hasher.add(schedule::hash_of(kernel)).add("cuda").add(static_cast<std::uint64_t>(options.strict));
  if (options.in_body) hasher.add("in a body");
  const Hash key = hasher.result();
  const std::string name = text(kernel.name, "_", to_string(key).substr(0, 8));
  const auto form = cuda_product_form(kernel, options.strict);
  const std::string function = form ? CudaProduct(kernel, *form).function(name)
                                    : CudaNest(kernel, options.strict).function(name);
  return {Language::cuda, name, options.in_body ? with_arguments_in_memory(function) : function,
          key};
}

SINTER_INLINE CudaLaunch cuda_launch(const schedule::Kernel& kernel, const CudaOptions& options) {
  if (const auto form = cuda_product_form(kernel, options.strict)) {
    return CudaProduct(kernel, *form).launch();
  }
  return CudaNest(kernel, options.strict).launch();
}

SINTER_INLINE std::string cuda_prelude(std::span<const Source> kernels) {
  return prelude(Language::cuda, kernels);
}

}  // namespace sinter::inline SINTER_ABI::codegen
