#pragma once

#include <sinter/codegen/cpp/emit_cpp.hpp>
#include <sinter/codegen/cpp/function.hpp>
#include <sinter/codegen/cpp/prelude/helpers.hpp>
#include <sinter/schedule/ir/custom_stages.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE Source emit_cpp(const schedule::Kernel& kernel, const CppOptions& options) {
  Hasher hasher;
  hasher.add(schedule::hash_of(kernel))
      .add("cpp")
      .add(static_cast<std::uint64_t>(options.target.vectors.bits))
      .add(static_cast<std::uint64_t>(options.strict));
  if (options.target.vectors.has_bf16_dot) hasher.add("pairs");
  if (options.target.vectors.has_amx) hasher.add("squares");
  const bool tuned = options.tuning != Tuning{};
  if (tuned) hasher.add(to_string(options.tuning));
  const std::string number = to_string(hasher.result()).substr(0, 8);
  const std::string name = text(kernel.name, tuned ? "_tuned_" : "_", number);
  const std::string head = tuned ? text("// tuned: ", to_string(options.tuning), "\n") : "";
  const std::string function = function_with_finalizers(kernel, name, options);
  const auto user_functions = custom_stages().user_functions;
  const std::string before = user_functions == nullptr ? "" : user_functions(kernel, Language::cpp);
  Source result{Language::cpp, name, head + before + function, {}};
  result.key = cpp_helpers().code_hash(result);
  return result;
}

SINTER_INLINE std::string cpp_prelude(Span<const Source> kernels) {
  return cpp_helpers().prelude(kernels);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
