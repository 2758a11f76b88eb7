#pragma once

#include <sinter/codegen/cpp.hpp>
#include <sinter/codegen/finish.hpp>
#include <sinter/codegen/prelude.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE Source emit_cpp(const schedule::Kernel& kernel, const CppOptions& options) {
  Hasher hasher;
  hasher.add(schedule::hash_of(kernel))
      .add("cpp")
      .add(static_cast<std::uint64_t>(options.vector_bits))
      .add(static_cast<std::uint64_t>(options.strict));
  if (options.multiplies_pairs) hasher.add("pairs");
  if (options.multiplies_squares) hasher.add("squares");
  const bool tuned = options.tuning != Tuning{};
  if (tuned) hasher.add(to_string(options.tuning));
  const Hash key = hasher.result();
  const std::string name = text(kernel.name, tuned ? "_tuned_" : "_", to_string(key).substr(0, 8));
  const std::string head = tuned ? text("// tuned: ", to_string(options.tuning), "\n") : "";
  return {Language::cpp, name, head + function_with_finish(kernel, name, options), key};
}

SINTER_INLINE std::string cpp_prelude(std::span<const Source> kernels) {
  return prelude(Language::cpp, kernels);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
