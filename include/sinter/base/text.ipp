#pragma once

#include <charconv>  // std::to_chars

#include <sinter/base/text.hpp>

namespace sinter::inline SINTER_ABI::detail {

template <class T>
void append_digits(std::string& out, T number) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

SINTER_INLINE void append_shortest(std::string& out, float number) { append_digits(out, number); }
SINTER_INLINE void append_shortest(std::string& out, double number) { append_digits(out, number); }
SINTER_INLINE void append_shortest(std::string& out, long double number) {
  append_digits(out, number);
}

}  // namespace sinter::inline SINTER_ABI::detail
