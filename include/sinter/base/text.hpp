#pragma once
// Building text without <format>, which GCC 12 does not have, or <sstream>, which is slow to parse.

#include <charconv>     // std::to_chars
#include <concepts>     // std::integral, std::floating_point, std::same_as
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <type_traits>  // std::remove_cvref_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

void append(std::string& out, const auto& part) {
  if constexpr (requires { std::string_view(part); }) {
    out += std::string_view(part);
  } else if constexpr (std::same_as<std::remove_cvref_t<decltype(part)>, bool>) {
    out += part ? "true" : "false";
  } else if constexpr (std::floating_point<std::remove_cvref_t<decltype(part)>>) {
    char digits[32];  // the shortest decimal that reads back as the same number
    out.append(digits, std::to_chars(digits, digits + sizeof(digits), part).ptr);
  } else if constexpr (std::integral<std::remove_cvref_t<decltype(part)>>) {
    out += std::to_string(part);
  } else if constexpr (requires { symbolic_text(part); }) {
    out += symbolic_text(part);  // of sizes, to_string() is the user's question to the recorder
  } else if constexpr (requires { to_string(part); }) {
    out += to_string(part);  // found by its argument: Tensor, Graph
  } else {
    const std::size_t start = out.size();
    for (const auto& element : part) {
      out += out.size() == start ? "[" : ", ";
      append(out, element);
    }
    out += out.size() == start ? "[]" : "]";
  }
}

/// Joins its arguments: text("v", 3, ": ", shape) is "v3: [64, 128]".
std::string text(const auto&... parts) {
  std::string result;
  (detail::append(result, parts), ...);
  return result;
}

/// "1 graph", "2 graphs"
std::string quantity(const auto& count, std::string_view one) {
  return text(count, " ", one, count == 1 ? "" : "s");
}

/// `text` followed by spaces up to `width` columns, and at least one.
inline std::string pad(std::string text, std::size_t width) {
  text.append(text.size() < width ? width - text.size() : 1, ' ');
  return text;
}

}  // namespace sinter::inline SINTER_ABI::detail
