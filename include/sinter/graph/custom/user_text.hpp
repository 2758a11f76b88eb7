#pragma once
// Reads the text of a custom operation: the function that it defines, and what to print around it.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/dtype.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/custom/user_function.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The function `name` that `text` defines outside of classes and functions.
UserFunction user_function(std::string_view text, std::string_view name);

/// Whether elements of `dtype` can be of the C++ type `type`; types that are not known may be.
bool may_be(std::string_view type, DType dtype);
/// Whether `type` names a type of C++ for elements, or void.
bool is_known_type(std::string_view type);
/// The dtype of the C++ type `type`, if it is known and of one dtype; else `otherwise`.
DType dtype_of_type(std::string_view type, DType otherwise);

/// The text, cut where it has to be printed: its #include lines, the rest with empty lines in their
/// places, and lines that undefine its macros.
struct UserText {
  std::string includes{}, body{}, undefines{};
};
UserText split_user_text(std::string_view text);

/// `text` with `word` replaced wherever it stands as a word outside of comments and strings.
std::string with_word(std::string_view text, std::string_view word, std::string_view replacement);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/custom/user_text.ipp>
#endif
