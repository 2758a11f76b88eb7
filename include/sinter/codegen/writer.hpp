#pragma once
// Indented text in which blocks of C++ scope open and close the blocks of the generated program.

#include <cstddef>  // std::size_t
#include <string>   // std::string

#include <sinter/base/text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::codegen {

class Writer {
 public:
  /// Closes, when it goes out of scope, the brace that opened it.
  class [[nodiscard]] Block {
   public:
    explicit Block(Writer& writer) : writer_(writer) {}
    ~Block() { --writer_.depth_, writer_.line("}"); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

   private:
    Writer& writer_;
  };

  /// Writes one line, with `remark` as a comment in a column of its own.
  void line(const std::string& code, const std::string& remark = "") {
    const std::string indented = std::string(2 * depth_, ' ') + code;
    text_ += remark.empty() ? indented : text(pad(indented, 64), "// ", remark);
    text_ += "\n";
  }

  Block block(const std::string& head) {
    line(head + " {");
    ++depth_;
    return Block(*this);
  }

  const std::string& str() const { return text_; }

 private:
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::codegen
