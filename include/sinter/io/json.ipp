#pragma once

#include <sinter/io/json.hpp>

namespace sinter::inline SINTER_ABI::io {

namespace detail {

// The number of bytes of the character that starts here; 0 if invalid. Source: RFC 3629, 4.
SINTER_INLINE std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4 || !follows(1)) return 0;
  if (first < 0xe0) return 2;
  // The second byte excludes overlong forms, surrogates, and code points above 10ffff.
  const bool allowed = !(first == 0xe0 && byte(1) < 0xa0) && !(first == 0xed && byte(1) > 0x9f) &&
                       !(first == 0xf0 && byte(1) < 0x90) && !(first == 0xf4 && byte(1) > 0x8f);
  if (!allowed || !follows(2)) return 0;
  if (first < 0xf0) return 3;
  return follows(3) ? 4 : 0;
}

SINTER_INLINE void append_utf8(std::string& text, unsigned code) {
  const auto byte = [&](unsigned value) { text += static_cast<char>(value); };
  const auto follow = [&](int shift) { byte(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6);
    follow(0);
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    follow(6);
    follow(0);
  } else {
    byte(0xf0 | code >> 18);
    follow(12);
    follow(6);
    follow(0);
  }
}

SINTER_INLINE unsigned four_digits(Scanner& scanner) {
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    constexpr std::string_view digits = "0123456789abcdef";
    const char c = scanner.next();
    const auto digit = digits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
    if (digit == digits.npos) scanner.refuse_here("\\u is followed by four hexadecimal digits");
    result = 16 * result + static_cast<unsigned>(digit);
  }
  return result;
}

// Parses the digits after \u: one UTF-16 unit, or a surrogate pair.
SINTER_INLINE unsigned escaped_code(Scanner& scanner) {
  const unsigned high = four_digits(scanner);
  if (high < 0xd800 || high > 0xdfff) return high;
  const bool pair = high < 0xdc00 && scanner.next() == '\\' && scanner.next() == 'u';
  const unsigned low = pair ? four_digits(scanner) : 0;
  if (low < 0xdc00 || low > 0xdfff) scanner.refuse_here("surrogates come in pairs");
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

// The escape characters and their meanings.
inline constexpr std::string_view escapes = "\"\\/bfnrt";
inline constexpr std::string_view escaped = "\"\\/\b\f\n\r\t";

SINTER_INLINE void append_escape(std::string& text, Scanner& scanner) {
  const char c = scanner.next();
  if (c == 'u') return append_utf8(text, escaped_code(scanner));
  const auto at = escapes.find(c);
  if (at == escapes.npos) scanner.refuse_here("JSON knows this escape");
  text += escaped[at];
}

}  // namespace detail

SINTER_INLINE std::size_t valid_utf8(std::string_view text) {
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t length = detail::utf8_length(text.substr(position));
    if (length == 0) break;
    position += length;
  }
  return position;
}

SINTER_INLINE std::string json_string(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (const auto at = detail::escaped.find(c); at != text.npos && c != '/') {
      result.append({'\\', detail::escapes[at]});
    } else if (byte < 0x20) {
      result.append("\\u00").append({digits[byte >> 4], digits[byte & 15]});
    } else {
      result += c;
    }
  }
  return result + '"';
}

SINTER_INLINE std::string read_json_string(Scanner& scanner) {
  scanner.expect("\"");
  std::string result;
  for (char c = scanner.next(); c != '"'; c = scanner.next()) {
    if (static_cast<unsigned char>(c) < 0x20) scanner.refuse_here("strings have no control codes");
    if (c == '\\') {
      detail::append_escape(result, scanner);
    } else {
      result += c;
    }
  }
  return result;
}

namespace detail {

// The next character that is not white space; 0 if it is none of `characters`.
SINTER_INLINE char accept_one(Scanner& scanner, std::string_view characters) {
  for (std::size_t i = 0; i < characters.size(); ++i) {
    if (scanner.accept(characters.substr(i, 1))) return characters[i];
  }
  return 0;
}

}  // namespace detail

SINTER_INLINE void skip_json_value(Scanner& scanner) {
  int depth = 0;
  do {
    if (detail::accept_one(scanner, "{[") != 0) {
      ++depth;
    } else if (depth > 0 && detail::accept_one(scanner, "}]") != 0) {
      --depth;
    } else if (depth > 0 && detail::accept_one(scanner, ",:") != 0) {
      continue;
    } else if (scanner.accept("\"")) {
      for (char c = scanner.next(); c != '"'; c = scanner.next()) {
        if (c == '\\') scanner.next();
      }
    } else {
      constexpr std::string_view word = "0123456789+-.Eaeflnrstu";
      if (detail::accept_one(scanner, word) == 0) scanner.refuse_here("here comes a value");
      while (detail::accept_one(scanner, word) != 0) continue;
    }
  } while (depth > 0);
}

}  // namespace sinter::inline SINTER_ABI::io
