#pragma once

#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE std::string to_string(const LeafName& leaf) {
  const std::string own = leaf.index < 0 ? std::string(leaf.name) : std::to_string(leaf.index);
  const std::string outer = leaf.parent == nullptr ? "" : to_string(*leaf.parent);
  return outer.empty() || own.empty() ? outer + own : outer + "." + own;
}

}  // namespace sinter::inline SINTER_ABI::detail
