#pragma once
// Writes indented text: C++ scopes open and close the blocks of the generated program.

#include <algorithm>    // std::min
#include <cstddef>      // std::size_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::exchange

#include <sinter/base/text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// `line`, broken into lines of at most 100 columns where possible: after commas and semicolons and
/// before operators. Continuation lines are indented by 4 more columns.
inline std::string wrapped(std::string line) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const bool whole = line.compare(indent, 1, "#") == 0 || line.compare(indent, 2, "//") == 0;
  std::string result;
  for (std::size_t from = indent + 1; line.size() > 100 && !whole; from = indent + 5) {
    std::size_t at = 0;
    for (std::size_t i = from; i < 100; ++i) {
      if (line[i] != ' ') continue;
      const bool behind = line[i - 1] == ',' || line[i - 1] == ';' || line[i - 1] == '=';
      const std::string_view next = std::string_view(line).substr(i + 1, 2);
      const bool before = next == "? " || next == ": " || next == "&&" || next == "+ ";
      if (behind || before) at = i;
    }
    if (at == 0) break;
    result += line.substr(0, at) + "\n";
    line = std::string(indent + 4, ' ') + line.substr(at + 1);
  }
  return result + line;
}

class Writer {
 public:
  /// Closes its brace when it goes out of scope.
  class [[nodiscard]] Block {
   public:
    explicit Block(Writer& writer) : writer_(writer) {}
    ~Block() { --writer_.depth_, writer_.line("}"); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

   private:
    Writer& writer_;
  };

  /// Writes one line of code. `remark` becomes a comment at column 64, or a line above if the line
  /// is too long.
  void line(TextParts code) { add_line(code, nullptr); }
  void line(TextParts code, TextArg remark) { add_line(code, &remark); }
  void line(TextArg code) { add_line({code}, nullptr); }
  void line(TextArg code, TextArg remark) { add_line({code}, &remark); }

  Block block(TextParts head) { return block(join_parts(head)); }
  Block block(TextArg head) {
    const std::string start = text(head);
    line({start, start.empty() ? "{" : " {"});
    ++depth_;
    return Block(*this);
  }

  /// Writes whole lines as they are.
  void add(std::string_view lines) { text_ += lines; }
  const std::string& str() const { return text_; }
  /// The text so far, which is then removed; open blocks stay open.
  std::string take() { return std::exchange(text_, {}); }

 private:
  void add_line(TextParts code, const TextPart* remark) {
    const std::size_t start = text_.size();
    text_.append(2 * depth_, ' ');
    append_parts(text_, code);
    const std::size_t code_end = text_.size();
    if (remark != nullptr) add_remark(start, *remark);
    if (text_.size() - start > 100) wrap(start, code_end);
    text_ += "\n";
  }

  // Adds `remark` behind the code that begins at `start`, unless it is empty.
  void add_remark(std::size_t start, const TextPart& remark) {
    const std::size_t code_end = text_.size(), width = code_end - start;
    text_.append(width < 64 ? 64 - width : 1, ' ');
    text_ += "// ";
    const std::size_t remark_start = text_.size();
    remark.append_to(text_);
    if (text_.size() == remark_start) text_.resize(code_end);
  }

  // Writes the line that begins at `start` again: its remark, if any, then its code, wrapped.
  void wrap(std::size_t start, std::size_t code_end) {
    const std::string code = text_.substr(start, code_end - start);
    const std::string remark = text_.substr(code_end);
    text_.resize(start);
    if (!remark.empty()) {
      text_.append(2 * depth_, ' ');
      text_ += remark.substr(remark.find_first_not_of(' ')) + "\n";
    }
    text_ += wrapped(code);
  }

  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
