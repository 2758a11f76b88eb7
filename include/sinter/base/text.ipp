#pragma once

#include <charconv>  // std::to_chars

#include <sinter/base/text.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE void append_shortest(std::string& out, float number) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

SINTER_INLINE void append_shortest(std::string& out, double number) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

}  // namespace sinter::inline SINTER_ABI::detail
