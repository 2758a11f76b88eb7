#pragma once

#include <sinter/codegen/cuda.hpp>
#include <sinter/codegen/cuda_nest.hpp>
#include <sinter/codegen/prelude.hpp>

namespace sinter::inline SINTER_ABI::codegen {

SINTER_INLINE Source emit_cuda(const schedule::Kernel& kernel, const CudaOptions& options) {
  const Hash key = Hasher()
                       .add(schedule::hash_of(kernel))
                       .add("cuda")
                       .add(static_cast<std::uint64_t>(options.strict))
                       .result();
  const std::string name = text(kernel.name, "_", to_string(key).substr(0, 8));
  return {Language::cuda, name, CudaNest(kernel, options.strict).function(name), key};
}

SINTER_INLINE CudaLaunch cuda_launch(const schedule::Kernel& kernel, const CudaOptions& options) {
  return CudaNest(kernel, options.strict).launch();
}

SINTER_INLINE std::string cuda_prelude(std::span<const Source> kernels) {
  return prelude(Language::cuda, kernels);
}

}  // namespace sinter::inline SINTER_ABI::codegen
