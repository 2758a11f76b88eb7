#pragma once
// The suffix of a node's path that encodes the compile options of its module.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Of "encoder.head [Numerics::strict]", " [Numerics::strict]": the options of a compiled member
/// that are its own, where they are not those of the function around it. Empty for most nodes.
inline std::string_view region_of(const std::string* path) {
  if (path == nullptr || path->empty() || path->back() != ']') return {};
  const std::size_t begin = path->rfind(" [");
  return begin == std::string::npos ? std::string_view() : std::string_view(*path).substr(begin);
}

}  // namespace sinter::inline SINTER_ABI::detail
