#pragma once

#include <sinter/codegen/cuda.hpp>
#include <sinter/codegen/cuda_nest.hpp>
#include <sinter/codegen/cuda_product.hpp>
#include <sinter/codegen/cuda_stream.hpp>
#include <sinter/codegen/prelude.hpp>

namespace sinter::inline SINTER_ABI::codegen {

SINTER_INLINE Source emit_cuda(const schedule::Kernel& kernel, const CudaOptions& options) {
  const Hash key = Hasher()
                       .add(schedule::hash_of(kernel))
                       .add("cuda")
                       .add(static_cast<std::uint64_t>(options.strict))
                       .result();
  const std::string name = text(kernel.name, "_", to_string(key).substr(0, 8));
  if (auto form = cuda_stream_form(kernel, options.strict)) {
    return {Language::cuda, name, CudaStream(*std::move(form)).function(name), key};
  }
  if (const auto form = cuda_product_form(kernel, options.strict)) {
    return {Language::cuda, name, CudaProduct(kernel, *form).function(name), key};
  }
  return {Language::cuda, name, CudaNest(kernel, options.strict).function(name), key};
}

SINTER_INLINE CudaLaunch cuda_launch(const schedule::Kernel& kernel, const CudaOptions& options) {
  if (auto form = cuda_stream_form(kernel, options.strict)) {
    return CudaStream(*std::move(form)).launch();
  }
  if (const auto form = cuda_product_form(kernel, options.strict)) {
    return CudaProduct(kernel, *form).launch();
  }
  return CudaNest(kernel, options.strict).launch();
}

SINTER_INLINE std::string cuda_prelude(std::span<const Source> kernels) {
  return prelude(Language::cuda, kernels);
}

}  // namespace sinter::inline SINTER_ABI::codegen
