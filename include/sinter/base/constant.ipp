#pragma once

#include <charconv>  // std::to_chars

#include <sinter/base/constant.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE std::string to_string(const Constant& number) {
  char digits[32];
  const auto write = [&](auto value) { return std::to_chars(digits, digits + 32, value).ptr; };
  if (number.dtype == boolean) return number.bits != 0 ? "true" : "false";
  if (!is_floating(number.dtype)) return {digits, write(number.integer())};
  if (number.dtype == f64) return {digits, write(number.floating())};
  return {digits, write(static_cast<float>(number.floating()))};
}

}  // namespace sinter::inline SINTER_ABI::detail
