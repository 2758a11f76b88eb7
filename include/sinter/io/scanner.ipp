#pragma once

#include <algorithm>     // std::min
#include <charconv>      // std::from_chars
#include <system_error>  // std::errc

#include <sinter/io/scanner.hpp>

namespace sinter::inline SINTER_ABI::io {

SINTER_INLINE void Scanner::skip_space() {
  position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
}

SINTER_INLINE bool Scanner::accept(std::string_view token) {
  skip_space();
  if (text_.substr(position_, token.size()) != token) return false;
  position_ += token.size();
  return true;
}

SINTER_INLINE void Scanner::expect(std::string_view token) {
  if (!accept(token)) refuse_here(sinter::detail::text("here comes ", token));
}

SINTER_INLINE std::int64_t Scanner::integer() {
  skip_space();
  const char* const first = text_.data() + position_;
  const char* const last = text_.data() + text_.size();
  std::int64_t result = 0;
  const auto [end, error] = std::from_chars(first, last, result);
  const bool padded = end - first > 1 && *first == '0';
  if (error != std::errc() || *first == '-' || padded) {
    refuse_here("an integer is expected here, from 0 to 9223372036854775807");
  }
  position_ += static_cast<std::size_t>(end - first);
  return result;
}

SINTER_INLINE char Scanner::next() {
  if (position_ == text_.size()) refuse_here("the text goes on");
  return text_[position_++];
}

SINTER_INLINE void Scanner::end() {
  skip_space();
  if (position_ != text_.size()) refuse_here("the text ends here");
}

SINTER_INLINE void Scanner::refuse_here(std::string expected) const {
  Flaw flaw{.what = sinter::detail::text(what_, " does not follow the format"),
            .rule = std::move(expected)};
  if (!entry_.empty()) flaw.facts.push_back({"entry", shown(entry_)});
  flaw.facts.push_back({"byte", sinter::detail::text(position_)});
  flaw.facts.push_back({"found", shown(text_.substr(position_, 20))});
  refuse(access_, std::move(flaw));
}

}  // namespace sinter::inline SINTER_ABI::io
