#pragma once

#include <sinter/codegen/cpp.hpp>
#include <sinter/codegen/finish.hpp>
#include <sinter/codegen/prelude.hpp>

namespace sinter::inline SINTER_ABI::codegen {

SINTER_INLINE Source emit_cpp(const schedule::Kernel& kernel, const CppOptions& options) {
  const Hash key = Hasher()
                       .add(schedule::hash_of(kernel))
                       .add("cpp")
                       .add(static_cast<std::uint64_t>(options.vector_bits))
                       .add(static_cast<std::uint64_t>(options.strict))
                       .result();
  const std::string name = text(kernel.name, "_", to_string(key).substr(0, 8));
  return {Language::cpp, name, function_with_finish(kernel, name, options), key};
}

SINTER_INLINE std::string cpp_prelude(std::span<const Source> kernels) {
  return prelude(Language::cpp, kernels);
}

}  // namespace sinter::inline SINTER_ABI::codegen
