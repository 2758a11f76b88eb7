#pragma once
// The text of a helper for one type and number of lanes.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A type that helpers are written for: those of DType, and the unsigned ones beside them.
struct HelperType {
  std::string_view name, c_name;
  int size;
  std::string_view integer, whole;  ///< Of the same size: signed, and unsigned.
};

/// "f32x16"
struct Laned {
  const HelperType* type = nullptr;  ///< Null for a word that names no type.
  int lanes = 1;
};

/// What `word` names.
Laned laned(std::string_view word);

/// `text` with its placeholders replaced: see Helper. Throws InternalError for unknown ones.
std::string fill_helper(std::string_view text, const Laned& type);

/// True if the text of `helper` is meant for so many lanes of this size.
bool fits(const Helper& helper, const Laned& type);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/helper_text.ipp>
#endif
