#pragma once
// Reads text of a file that nobody vouches for, token by token, as the caller expects them.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/config.hpp>
#include <sinter/io/file.hpp>

namespace sinter::inline SINTER_ABI::io {

/// A position in a text. Everything that is not as expected throws IoError with the position and
/// the entry of the file it belongs to.
class Scanner {
 public:
  /// `what` names the text in errors: "the header".
  Scanner(const Access& access, std::string_view what, std::string_view text)
      : access_(access), what_(what), text_(text) {}

  /// The entry that errors name from now on.
  void within(std::string_view entry) { entry_ = entry; }

  /// Skips white space, which is space, tab and line ends.
  void skip_space();
  /// Skips white space, then `token`, if that is what comes next.
  bool accept(std::string_view token);
  void expect(std::string_view token);
  /// A number without sign, fraction or exponent.
  std::int64_t integer();
  /// The next character as it is.
  char next();
  /// The rest is white space.
  void end();

  std::size_t position() const { return position_; }
  const Access& access() const { return access_; }
  /// Throws IoError: "the header is not as expected", with `expected` as the rule.
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
