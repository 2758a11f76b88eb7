#pragma once

#include <sinter/codegen/cpp.hpp>
#include <sinter/codegen/nest.hpp>
#include <sinter/codegen/prelude.hpp>

namespace sinter::inline SINTER_ABI::codegen {

SINTER_INLINE Source emit_cpp(const schedule::Kernel& kernel, const CppOptions& options) {
  const int lanes = kernel.vector_axis == VectorAxis::none || options.vector_bits == 0
                        ? 1
                        : options.vector_bits / (8 * lane_bytes(kernel));
  const Hash key = Hasher()
                       .add(schedule::hash_of(kernel))
                       .add("cpp")
                       .add(static_cast<std::uint64_t>(options.vector_bits))
                       .add(static_cast<std::uint64_t>(options.strict))
                       .result();
  const std::string name = text(kernel.name, "_", to_string(key).substr(0, 8));
  return {Language::cpp, name, Nest(kernel, lanes, options.strict).function(name), key};
}

SINTER_INLINE std::string cpp_prelude(std::span<const Source> kernels) {
  return prelude(Language::cpp, kernels);
}

}  // namespace sinter::inline SINTER_ABI::codegen
