#pragma once
// Building text without <format>, which GCC 12 does not have, or <sstream>, which is slow to parse.

#include <concepts>          // std::integral, std::floating_point, std::same_as
#include <initializer_list>  // std::initializer_list
#include <string>            // std::string
#include <string_view>       // std::string_view
#include <type_traits>       // std::remove_cvref_t

#include <sinter/base/operators.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

// Appends the shortest decimal that reads back as the same number.
void append_shortest(std::string& out, float number);
void append_shortest(std::string& out, double number);
void append_shortest(std::string& out, long double number);

void append(std::string& out, const auto& part) {
  if constexpr (requires { std::string_view(part); }) {
    out += std::string_view(part);
  } else if constexpr (std::same_as<std::remove_cvref_t<decltype(part)>, bool>) {
    out += part ? "true" : "false";
  } else if constexpr (std::floating_point<std::remove_cvref_t<decltype(part)>>) {
    append_shortest(out, part);
  } else if constexpr (std::integral<std::remove_cvref_t<decltype(part)>>) {
    out += std::to_string(part);
  } else if constexpr (requires { symbolic_text(part); }) {
    out += symbolic_text(part);  // of sizes, to_string() is the user's question to the recorder
  } else if constexpr (requires { to_string(part); }) {
    out += to_string(part);  // found by its argument: Tensor, Graph
  } else {
    const std::size_t start = out.size();
    for (const auto& element : part) {
      out += out.size() == start ? "[" : ", ";
      append(out, element);
    }
    out += out.size() == start ? "[]" : "]";
  }
}

/// An argument of text(): a text, a number, or anything that append() takes, by reference.
class TextPart {
 public:
  TextPart() : TextPart(std::string_view()) {}
  TextPart(const char* text) : TextPart(std::string_view(text)) {}
  TextPart(const std::string& text) : TextPart(std::string_view(text)) {}
  TextPart(std::string_view text) : data_(text.data()), size_(text.size()), append_(append_text) {}
  template <class T>
  TextPart(const T& part) : data_(&part), append_(append_part<T>) {}

  void append_to(std::string& out) const { append_(out, data_, size_); }

 private:
  static void append_text(std::string& out, const void* data, std::size_t size) {
    out.append(static_cast<const char*>(data), size);
  }
  template <class T>
  static void append_part(std::string& out, const void* part, std::size_t) {
    detail::append(out, *static_cast<const T*>(part));
  }

  const void* data_;
  std::size_t size_ = 0;
  void (*append_)(std::string& out, const void* data, std::size_t size);
};

/// The parts of a text, as in line({"v", 3, " = 0;"}). Parameters only: they refer to temporaries.
using TextParts = std::initializer_list<TextPart>;

inline void append_parts(std::string& out, TextParts parts) {
  for (const TextPart& part : parts) part.append_to(out);
}
inline std::string join_parts(TextParts parts) {
  std::string result;
  append_parts(result, parts);
  return result;
}

/// The type of a parameter. Do not store a TextPart: it refers to its argument.
using TextArg = const TextPart&;

/// Joins its arguments: text("v", 3, ": ", shape) is "v3: [64, 128]". These are functions by number
/// of arguments, where a template would be another function for each list of types.
inline std::string text() { return {}; }
inline std::string text(TextArg a) { return join_parts({a}); }
inline std::string text(TextArg a, TextArg b) { return join_parts({a, b}); }
inline std::string text(TextArg a, TextArg b, TextArg c) { return join_parts({a, b, c}); }
inline std::string text(TextArg a, TextArg b, TextArg c, TextArg d) {
  return join_parts({a, b, c, d});
}
inline std::string text(TextArg a, TextArg b, TextArg c, TextArg d, TextArg e) {
  return join_parts({a, b, c, d, e});
}
inline std::string text(TextArg a, TextArg b, TextArg c, TextArg d, TextArg e, TextArg f) {
  return join_parts({a, b, c, d, e, f});
}
inline std::string text(TextArg a, TextArg b, TextArg c, TextArg d, TextArg e, TextArg f,
                        TextArg g) {
  return join_parts({a, b, c, d, e, f, g});
}
inline std::string text(TextArg a, TextArg b, TextArg c, TextArg d, TextArg e, TextArg f, TextArg g,
                        TextArg h) {
  return join_parts({a, b, c, d, e, f, g, h});
}
inline std::string text(TextArg a, TextArg b, TextArg c, TextArg d, TextArg e, TextArg f, TextArg g,
                        TextArg h, TextArg i) {
  return join_parts({a, b, c, d, e, f, g, h, i});
}
inline std::string text(TextArg a, TextArg b, TextArg c, TextArg d, TextArg e, TextArg f, TextArg g,
                        TextArg h, TextArg i, TextArg j) {
  return join_parts({a, b, c, d, e, f, g, h, i, j});
}
inline std::string text(TextArg a, TextArg b, TextArg c, TextArg d, TextArg e, TextArg f, TextArg g,
                        TextArg h, TextArg i, TextArg j, TextArg k) {
  return join_parts({a, b, c, d, e, f, g, h, i, j, k});
}
inline std::string text(TextArg a, TextArg b, TextArg c, TextArg d, TextArg e, TextArg f, TextArg g,
                        TextArg h, TextArg i, TextArg j, TextArg k, TextArg l) {
  return join_parts({a, b, c, d, e, f, g, h, i, j, k, l});
}
template <class... Parts>
requires(sizeof...(Parts) > 12) std::string text(const Parts&... parts) {
  return join_parts({TextPart(parts)...});
}

/// "1 graph", "2 graphs"
std::string quantity(const auto& count, std::string_view one) {
  return text(count, " ", one, count == 1 ? "" : "s");
}

/// `text` followed by spaces up to `width` columns, and at least one.
inline std::string pad(std::string text, std::size_t width) {
  text.append(text.size() < width ? width - text.size() : 1, ' ');
  return text;
}

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/base/text.ipp>
#endif
