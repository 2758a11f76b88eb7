#pragma once
// Removes comments and literals from C++ text, for tests that count braces.

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace repository {

/// `code` with comments, literals and preprocessor directives replaced by spaces; lines stay lines.
class Blanked {
 public:
  explicit Blanked(std::string code) : code_(std::move(code)) {
    while (at_ < code_.size()) step();
  }

  const std::string& str() const { return code_; }

 private:
  void step() {
    if (sees("//")) return blank_to(code_.find('\n', at_));
    if (sees("/*")) return blank_to(after("*/", at_ + 2));
    if (sees("R\"")) return blank_to(after(raw_end(), at_ + 2));
    if (code_[at_] == '#') return blank_to(end_of_directive());
    if (code_[at_] == '"') return blank_to(end_of_literal('"'));
    if (code_[at_] == '\'' && !separates_digits()) return blank_to(end_of_literal('\''));
    ++at_;
  }

  bool sees(const char* text) const { return code_.compare(at_, 2, text) == 0; }

  bool separates_digits() const {
    return at_ > 0 && std::isalnum(static_cast<unsigned char>(code_[at_ - 1])) != 0;
  }

  /// What ends the raw literal that starts here: )" with the delimiter between.
  std::string raw_end() const {
    return ")" + code_.substr(at_ + 2, code_.find('(', at_) - at_ - 2) + "\"";
  }

  std::size_t after(const std::string& text, std::size_t from) const {
    const auto found = code_.find(text, from);
    return found == std::string::npos ? found : found + text.size();
  }

  std::size_t end_of_literal(char quote) const {
    std::size_t end = at_ + 1;
    while (end < code_.size() && code_[end] != quote) end += code_[end] == '\\' ? 2 : 1;
    return end + 1;
  }

  std::size_t end_of_directive() const {
    auto end = code_.find('\n', at_);
    while (end != std::string::npos && code_[end - 1] == '\\') end = code_.find('\n', end + 1);
    return end;
  }

  void blank_to(std::size_t end) {
    for (; at_ < std::min(end, code_.size()); ++at_) {
      if (code_[at_] != '\n') code_[at_] = ' ';
    }
  }

  std::string code_;
  std::size_t at_ = 0;
};

}  // namespace repository
