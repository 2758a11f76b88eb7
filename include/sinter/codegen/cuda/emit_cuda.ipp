#pragma once

#include <sinter/codegen/cpp/custom.hpp>
#include <sinter/codegen/cuda/attention/streaming.hpp>
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

SINTER_INLINE HelperSet& helpers_of(const CudaOptions& options) {
  return options.helpers != nullptr ? options.helpers() : cuda_helpers();
}

// What `use` finds in the writer of `kernel`, which no user wrote.
template <class Use>
auto with_writer(const Kernel& kernel, const CudaOptions& options, const Use& use) {
  if (auto form = cuda_streaming_form(kernel, options)) {
    CudaStreaming streaming(*std::move(form), options);
    return use(streaming);
  }
  if (auto form = cuda_product_form(kernel, options)) {
    CudaProduct product(kernel, *std::move(form), options);
    return use(product);
  }
  const auto spread = spread_atomic_adds(kernel, options.strict);
  CudaNest nest(spread ? *spread : kernel, options);
  return use(nest);
}

SINTER_INLINE std::string cuda_function(const Kernel& kernel, const std::string& name,
                                        const CudaOptions& options) {
  if (kernel.custom != nullptr) return cuda_custom_function(kernel, name, options);
  return with_writer(kernel, options, [&](auto& writer) { return writer.function(name); });
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
  Source result{Language::cuda, name, head + user_functions(kernel, Language::cuda) + function, {}};
  result.key = detail::helpers_of(options).code_hash(result);
  return result;
}

SINTER_INLINE CudaLaunch cuda_launch(const schedule::Kernel& kernel, const CudaOptions& options) {
  if (kernel.custom != nullptr) return cuda_custom_launch(kernel, options);
  return detail::with_writer(kernel, options, [](const auto& writer) { return writer.launch(); });
}

SINTER_INLINE std::string cuda_prelude(Span<const Source> kernels, const CudaOptions& options) {
  return detail::helpers_of(options).prelude(kernels);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
