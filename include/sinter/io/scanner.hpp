#pragma once
// A tokenizer for untrusted text in files.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/config.hpp>
#include <sinter/io/file.hpp>

namespace sinter::inline SINTER_ABI::io {

/// A position in a text. Unexpected input throws IoError with the position and the entry of the
/// file.
class Scanner {
 public:
  /// `what` names the text in errors: "the header".
  Scanner(const Access& access, std::string_view what, std::string_view text)
      : access_(access), what_(what), text_(text) {}

  /// The entry that errors name from now on.
  void within(std::string_view entry) { entry_ = entry; }

  /// Skips white space, which is space, tab and line ends.
  void skip_space();
  /// Skips white space, then `token` if it comes next; true if it did.
  bool accept(std::string_view token);
  void expect(std::string_view token);
  /// A number without sign, fraction or exponent.
  std::int64_t integer();
  /// Consumes and returns the next character.
  char next();
  /// Throws unless only white space remains.
  void end();

  std::size_t position() const { return position_; }
  const Access& access() const { return access_; }
  /// Throws IoError with `expected` as the rule.
  [[noreturn]] void refuse_here(std::string expected) const;

 private:
  const Access& access_;
  std::string_view what_;
  std::string_view text_;
  std::string entry_{};
  std::size_t position_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/scanner.ipp>
#endif
