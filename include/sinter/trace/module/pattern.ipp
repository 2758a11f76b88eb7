#pragma once

#include <sinter/trace/module/pattern.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE bool fits_pattern(std::string_view pattern, std::string_view text) {
  std::size_t at = 0, star = pattern.npos, resume = 0, i = 0;
  while (i < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      resume = i;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[i])) {
      ++at, ++i;
    } else if (star != pattern.npos) {  // the last star takes a character more
      at = star + 1;
      i = ++resume;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

}  // namespace sinter::inline SINTER_ABI::detail
