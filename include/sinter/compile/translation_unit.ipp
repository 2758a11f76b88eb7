#pragma once

#include <algorithm>      // std::min
#include <set>            // std::set
#include <unordered_set>  // std::unordered_set

#include <sinter/base/text.hpp>
#include <sinter/compile/translation_unit.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

SINTER_INLINE std::string free_name(const std::string& name, const std::set<std::string>& taken) {
  std::string result = name;
  for (int number = 2; taken.count(result) != 0; ++number) result = text(name, "_", number);
  return result;
}

}  // namespace detail

SINTER_INLINE Hash hash_of_code(const Source& kernel) {
  Hasher hasher;
  std::string_view rest = kernel.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string line(rest.substr(0, std::min(end, rest.find("//"))));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    for (std::size_t at = 0; (at = line.find(kernel.name, at)) != std::string::npos; ++at) {
      line.replace(at, kernel.name.size(), "@");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) hasher.add(line);
  }
  return hasher.result();
}

SINTER_INLINE std::string renamed_text(const Source& kernel, const std::string& symbol) {
  if (symbol == kernel.name) return kernel.text + "\n";
  return text("#define ", kernel.name, " ", symbol, "\n", kernel.text, "\n#undef ", kernel.name,
              "\n");
}

SINTER_INLINE UnitText assemble(const TranslationUnit& unit) {
  UnitText result{.text = unit.prelude};
  std::unordered_set<Hash, HashOfHash> seen;
  std::set<std::string> names;
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
