#pragma once

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/compile/varying.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/jit/varying.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE Hash varying_key(Where where, std::string_view name,
                               std::span<const guard::Leaf> leaves) {
  std::vector<std::string> words;
  for (const guard::Leaf& leaf : leaves) {
    const TensorType& type = leaf.tensor->type();
    words.push_back(text(type.dtype, " ", type.shape.size()));
  }
  return compiler::function_key(where, name, words);
}

SINTER_INLINE Varying varying_before(const Hash& key) {
  Varying result;
  for (const compiler::VaryingSize& size : compiler::known_varying(key)) {
    result.insert({size.leaf, static_cast<int>(size.dim)});
  }
  return result;
}

SINTER_INLINE void keep_for_later(const Hash& key, const Varying& varying) {
  std::vector<compiler::VaryingSize> sizes;
  for (const auto& [leaf, dim] : varying) {
    sizes.push_back({static_cast<std::uint32_t>(leaf), static_cast<std::uint32_t>(dim)});
  }
  compiler::remember_varying(key, sizes);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
