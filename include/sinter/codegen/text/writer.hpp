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
  void line(TextParts code) { add_line(join_parts(code), {}); }
  void line(TextParts code, TextArg remark) { add_line(join_parts(code), text(remark)); }
  void line(TextArg code) { add_line(text(code), {}); }
  void line(TextArg code, TextArg remark) { add_line(text(code), text(remark)); }

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
  void add_line(const std::string& code, const std::string& remark) {
    const std::string indent(2 * depth_, ' ');
    const std::string with_remark =
        remark.empty() ? indent + code : text(pad(indent + code, 64), "// ", remark);
    if (with_remark.size() <= 100) {
      text_ += with_remark;
    } else {
      if (!remark.empty()) text_ += text(indent, "// ", remark, "\n");
      text_ += wrapped(indent + code);
    }
    text_ += "\n";
  }

  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
