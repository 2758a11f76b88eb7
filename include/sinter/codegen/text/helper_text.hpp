#pragma once
// Instantiates the text of a helper for one type and number of lanes.

#include <algorithm>    // std::min
#include <cstddef>      // std::size_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A type that helpers are written for: those of DType, and their unsigned counterparts.
struct HelperType {
  std::string_view name, c_name;
  int size;
  std::string_view signed_type, unsigned_type;  ///< The integers of the same size.
};

/// A type with its number of lanes: "f32x16", or "f32" for one.
struct VectorType {
  const HelperType* type = nullptr;  ///< Null if a name is not one of a type.
  int lanes = 1;
};

/// Parses "f32x16".
VectorType parse_vector_type(std::string_view word);

/// `text` with its placeholders replaced: see Helper. Throws InternalError for unknown ones.
std::string fill_helper(std::string_view text, const VectorType& type);

/// True if `helper` is written for the lanes of `type`.
bool fits(const Helper& helper, const VectorType& type);

namespace detail {

constexpr bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Calls visit(word) for each word of `text` outside comments.
template <class Visit>
void for_each_word(std::string_view text, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "//") at = std::min(text.find('\n', at), text.size());
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end > at) visit(text.substr(at, end - at));
    at = end + 1;
  }
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/helper_text.ipp>
#endif
