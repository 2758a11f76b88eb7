#pragma once

#include <sinter/codegen/cuda.hpp>
#include <sinter/codegen/cuda_additions.hpp>
#include <sinter/codegen/cuda_control.hpp>
#include <sinter/codegen/cuda_nest.hpp>
#include <sinter/codegen/cuda_parts.hpp>
#include <sinter/codegen/cuda_product.hpp>
#include <sinter/codegen/cuda_stream.hpp>
#include <sinter/codegen/prelude.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// What of `tuning` a text depends on.
SINTER_INLINE Tuning tuning_of_text(Tuning tuning) {
  tuning.generated = tuning.library_answer = 0;
  return tuning;
}

SINTER_INLINE std::string cuda_function(const Kernel& kernel, const std::string& name,
                                        const CudaOptions& options) {
  if (auto form = cuda_stream_form(kernel, options.strict, options.tf32)) {
    return CudaStream(*std::move(form)).function(name);
  }
  if (auto form = cuda_product_form(kernel, options.strict)) {
    return CudaProduct(kernel, std::move(*form), options.tuning, options.tf32).function(name);
  }
  const auto spread = spread_additions(kernel, options.strict);
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
  const Hash key = hasher.result();
  const std::string name = text(kernel.name, tuned ? "_tuned_" : "_", to_string(key).substr(0, 8));
  const std::string head = tuned ? text("// tuned: ", to_string(tuning), "\n") : "";
  const std::string function = detail::cuda_function(kernel, name, options);
  if (options.in_body) {
    return {Language::cuda, name, head + with_arguments_in_memory(function), key};
  }
  return {Language::cuda, name,
          head + (kernel.parts != 0 ? with_parts(function, kernel, name) : function), key};
}

SINTER_INLINE CudaLaunch cuda_launch(const schedule::Kernel& kernel, const CudaOptions& options) {
  if (auto form = cuda_stream_form(kernel, options.strict, options.tf32)) {
    return CudaStream(*std::move(form)).launch();
  }
  if (auto form = cuda_product_form(kernel, options.strict)) {
    return CudaProduct(kernel, std::move(*form), options.tuning, options.tf32).launch();
  }
  const auto spread = spread_additions(kernel, options.strict);
  return CudaNest(spread ? *spread : kernel, options.strict, options.tuning).launch();
}

SINTER_INLINE std::string cuda_prelude(std::span<const Source> kernels) {
  return prelude(Language::cuda, kernels);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
