#pragma once

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/unit/translation_unit.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

SINTER_INLINE std::string free_name(const std::string& name, const SortedSet<std::string>& taken) {
  std::string result = name;
  for (int number = 2; taken.count(result) != 0; ++number) result = text(name, "_", number);
  return result;
}

}  // namespace detail

SINTER_INLINE std::string renamed_text(const Source& kernel, const std::string& symbol) {
  if (symbol == kernel.name) return kernel.text + "\n";
  return text("#define ", kernel.name, " ", symbol, "\n", kernel.text, "\n#undef ", kernel.name,
              "\n");
}

SINTER_INLINE UnitText assemble(const TranslationUnit& unit) {
  UnitText result{.text = unit.prelude};
  HashSet<Hash, HashOfHash> seen;
  SortedSet<std::string> names;
  for (const Source& kernel : unit.kernels) {
    if (!seen.insert(kernel.key).second) continue;
    const std::string symbol = detail::free_name(kernel.name, names);
    names.insert(symbol);
    result.members.push_back({kernel.key, symbol});
    result.text += renamed_text(kernel, symbol);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
