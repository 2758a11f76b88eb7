#pragma once

#include <sinter/codegen/cpp/custom.hpp>
#include <sinter/codegen/cuda/attention/streaming.hpp>
#include <sinter/codegen/cuda/batched_launch.hpp>
#include <sinter/codegen/cuda/control.hpp>
#include <sinter/codegen/cuda/custom.hpp>
#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/codegen/cuda/nest/atomics.hpp>
#include <sinter/codegen/cuda/nest/nest.hpp>
#include <sinter/codegen/cuda/prelude/helpers.hpp>
#include <sinter/codegen/cuda/product/product.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// `tuning` without the fields that do not affect the text.
SINTER_INLINE Tuning tuning_of_text(Tuning tuning) {
  tuning.generated = tuning.library_algorithm = 0;
  return tuning;
}

SINTER_INLINE std::string cuda_function(const Kernel& kernel, const std::string& name,
                                        const CudaOptions& options) {
  if (kernel.custom != nullptr) return cuda_custom_function(kernel, name);
  if (auto form = cuda_streaming_form(kernel, options.strict, options.tf32)) {
    return CudaStreaming(*std::move(form)).function(name);
  }
  if (auto form = cuda_product_form(kernel, options.strict)) {
    return CudaProduct(kernel, std::move(*form), options.tuning, options.tf32).function(name);
  }
  const auto spread = spread_atomic_adds(kernel, options.strict);
  return CudaNest(spread ? *spread : kernel, options.strict, options.tuning).function(name);
}

}  // namespace detail

SINTER_INLINE Source emit_cuda(const schedule::Kernel& kernel, const CudaOptions& options) {
  const Tuning tuning = detail::tuning_of_text(options.tuning);
  const bool tuned = tuning != Tuning{};
  Hasher hasher;
  hasher.add(schedule::hash_of(kernel)).add("cuda").add(static_cast<std::uint64_t>(options.strict));
  if (options.tf32) hasher.add("tf32");
  if (tuned) hasher.add(to_string(tuning));
  if (options.in_body) hasher.add("in a body");
  const std::string number = to_string(hasher.result()).substr(0, 8);
  const std::string name = text(kernel.name, tuned ? "_tuned_" : "_", number);
  const std::string head = tuned ? text("// tuned: ", to_string(tuning), "\n") : "";
  const std::string function = detail::cuda_function(kernel, name, options);
  Source result{Language::cuda, name, head + user_functions(kernel, function, Language::cuda), {}};
  if (options.in_body) {
    result.text += with_arguments_in_memory(function);
  } else {
    result.text += kernel.batch_capacity != 0 ? batched_function(function, kernel, name) : function;
  }
  result.key = cuda_helpers().code_hash(result);
  return result;
}

SINTER_INLINE CudaLaunch cuda_launch(const schedule::Kernel& kernel, const CudaOptions& options) {
  if (kernel.custom != nullptr) return cuda_custom_launch(kernel);
  if (auto form = cuda_streaming_form(kernel, options.strict, options.tf32)) {
    return CudaStreaming(*std::move(form)).launch();
  }
  if (auto form = cuda_product_form(kernel, options.strict)) {
    return CudaProduct(kernel, std::move(*form), options.tuning, options.tf32).launch();
  }
  const auto spread = spread_atomic_adds(kernel, options.strict);
  return CudaNest(spread ? *spread : kernel, options.strict, options.tuning).launch();
}

SINTER_INLINE std::string cuda_prelude(Span<const Source> kernels) {
  return cuda_helpers().prelude(kernels);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
