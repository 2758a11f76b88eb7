#pragma once

#include <set>            // std::set
#include <unordered_set>  // std::unordered_set

#include <sinter/base/text.hpp>
#include <sinter/compile/translation_unit.hpp>

namespace sinter::inline SINTER_ABI::compiler {

namespace detail {

SINTER_INLINE std::string free_name(const std::string& name, const std::set<std::string>& taken) {
  std::string result = name;
  for (int number = 2; taken.count(result) != 0; ++number) result = text(name, "_", number);
  return result;
}

}  // namespace detail

SINTER_INLINE UnitText assemble(const TranslationUnit& unit) {
  UnitText result{.text = unit.prelude};
  std::unordered_set<Hash, HashOfHash> seen;
  std::set<std::string> names;
  for (const Source& kernel : unit.kernels) {
    if (!seen.insert(kernel.key).second) continue;
    const std::string symbol = detail::free_name(kernel.name, names);
    names.insert(symbol);
    result.members.push_back({kernel.key, symbol});
    const bool renamed = symbol != kernel.name;
    if (renamed) result.text += text("#define ", kernel.name, " ", symbol, "\n");
    result.text += kernel.text;
    if (renamed) result.text += text("\n#undef ", kernel.name);
    result.text += '\n';
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::compiler
