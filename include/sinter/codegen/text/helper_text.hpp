#pragma once
// Instantiates the text of a helper for one type and number of lanes.

#include <algorithm>    // std::min
#include <array>        // std::array
#include <charconv>     // std::from_chars
#include <cstddef>      // std::size_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A type that helpers are written for: those of DType, and their unsigned counterparts.
struct HelperType {
  std::string_view name, c_name;
  int size;
  std::string_view signed_type, unsigned_type;  ///< The integers of the same size.
};

/// A type with its number of lanes: "f32x16", or "f32" for one.
struct VectorType {
  const HelperType* type = nullptr;  ///< Null if a name is not one of a type.
  int lanes = 1;
};

namespace detail {

constexpr bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Calls visit(word) for each word of `text` outside comments.
template <class Visit>
void for_each_word(std::string_view text, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "//") at = std::min(text.find('\n', at), text.size());
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end > at) visit(text.substr(at, end - at));
    at = end + 1;
  }
}

inline constexpr std::array<HelperType, 13> helper_types{{
    {"bool", "bool", 1, "i8", "u8"},
    {"u8", "unsigned char", 1, "i8", "u8"},
    {"i8", "signed char", 1, "i8", "u8"},
    {"i16", "short", 2, "i16", "u16"},
    {"u16", "unsigned short", 2, "i16", "u16"},
    {"i32", "int", 4, "i32", "u32"},
    {"u32", "unsigned int", 4, "i32", "u32"},
    {"i64", "long", 8, "i64", "u64"},
    {"u64", "unsigned long", 8, "i64", "u64"},
    {"f16", "unsigned short", 2, "i16", "u16"},
    {"bf16", "unsigned short", 2, "i16", "u16"},
    {"f32", "float", 4, "i32", "u32"},
    {"f64", "double", 8, "i64", "u64"},
}};

inline const HelperType* helper_type(std::string_view name) {
  for (const HelperType& type : helper_types) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

inline std::string laned_name(std::string_view type, int lanes) {
  return lanes == 1 ? std::string(helper_type(type)->c_name) : text(type, "x", lanes);
}

inline std::string numbers(int first, int count, int step = 1) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text(i == 0 ? "" : ", ", first + i * step);
  return result;
}

// The lanes first, first + 1, ... of two vectors in turn.
inline std::string pairs(int first, int count, int lanes) {
  std::string result;
  for (int i = first; i < first + count; ++i) {
    result += text(i == first ? "" : ", ", i, ", ", i + lanes);
  }
  return result;
}

inline std::string half_of(const std::string& vector, int first, int lanes) {
  if (lanes == 2) return text(vector, "[", first / (lanes / 2), "]");
  return text("__builtin_shufflevector(", vector, ", ", vector, ", ", numbers(first, lanes / 2),
              ")");
}

/// Replaces the placeholders of one helper: see Helper.
class HelperFiller {
 public:
  HelperFiller(std::string_view from, const VectorType& type, std::string_view name)
      : type_(type), name_(name) {
    fill(from);
  }
  std::string result{};

 private:
  void fill(std::string_view from) {
    std::size_t at = 0;
    while (at < from.size()) {
      const std::size_t dollar = std::min(from.find('$', at), from.size());
      result += from.substr(at, dollar - at);
      at = dollar == from.size() ? dollar : placeholder(from, dollar + 1);
    }
  }

  // The text between the parentheses that open at `at`; moves `at` past them.
  static std::string_view inside(std::string_view from, std::size_t& at) {
    const std::size_t first = at + 1;
    for (int depth = 0; at < from.size(); ++at) {
      depth += (from[at] == '(') - (from[at] == ')');
      if (depth == 0) break;
    }
    return from.substr(first, at++ - first);
  }

  std::size_t placeholder(std::string_view from, std::size_t at) {
    const char kind = from[at];
    if (kind == '(' || (kind >= 'a' && kind <= 'z')) return call(from, at);
    result += word(kind);
    return at + 1;
  }

  std::string word(char kind) const {
    const HelperType& type = *type_.type;
    const int lanes = type_.lanes;
    switch (kind) {
      case '$':
        return "$";
      case 'T':
        return laned_name(type.name, lanes);
      case 'E':
        return std::string(type.c_name);
      case 'O':
        return std::string(name_.substr(name_.rfind('_') + 1));
      case 'F':
        return type.size == 8 ? "" : "f";
      case 'D':
        return type.size == 8 ? "d" : "s";
      case 'S':
        return suffix_of(lanes);
      case '1':
        return suffix_of(1);
      case 'H':
        return suffix_of(lanes / 2);
      case 'N':
        return text(lanes);
      case 'B':
        return text(8 * type.size);
      case 'I':
        return laned_name(type.signed_type, lanes);
      case 'J':
        return laned_name(type.signed_type, 1);
      case 'U':
        return laned_name(type.unsigned_type, lanes);
      default:
        return numbers_of_lanes(kind);
    }
  }

  std::string numbers_of_lanes(char kind) const {
    const int lanes = type_.lanes;
    switch (kind) {
      case 'L':
        return numbers(0, lanes);
      case 'V':
        return numbers(0, lanes, 2);
      case 'W':
        return text(numbers(0, lanes / 2, 2), ", ", numbers(lanes + 1, lanes / 2, 2));
      case 'G':
        return pairs(0, lanes / 4, lanes / 4);
      case 'P':
      case 'Q':
        return pairs(kind == 'P' ? 0 : lanes / 2, lanes / 2, lanes);
      default:
        throw InternalError(
            text("codegen: unknown placeholder $", std::string(1, kind), " in a helper"));
    }
  }

  std::string suffix_of(int lanes) const {
    return lanes == 1 ? std::string(type_.type->name) : text(type_.type->name, "x", lanes);
  }

  std::size_t call(std::string_view from, std::size_t at) {
    const std::size_t open = from.find('(', at);
    const std::string_view name = from.substr(at, open - at);
    at = open;
    const std::string_view arguments = inside(from, at);
    const int lanes = type_.lanes;
    const std::size_t comma = std::min(arguments.find(", "), arguments.size());
    const std::string first(arguments.substr(0, comma));
    const std::string second = comma == arguments.size()
                                   ? ""
                                   : HelperFiller(arguments.substr(comma + 2), type_, name_).result;
    if (name.empty()) {
      result += laned_name(first, lanes);
    } else if (name == "or") {
      result += type_.type->size == 8 ? second : first;
    } else if (name == "low" || name == "high") {
      result += half_of(first, name == "low" ? 0 : lanes / 2, lanes);
    } else if (name == "as") {
      result += lanes == 1 ? text("(", laned_name(first, 1), ")(", second, ")")
                           : text("__builtin_convertvector(", second, ", ", first, "x", lanes, ")");
    } else if (name == "k") {
      result += lanes == 1 ? second : text("splat_", first, "x", lanes, "(", second, ")");
    } else {
      throw InternalError(text("codegen: unknown placeholder $", name, " in a helper"));
    }
    return at;
  }

  VectorType type_;
  std::string_view name_;
};

}  // namespace detail

/// Parses "f32x16".
inline VectorType parse_vector_type(std::string_view word) {
  const std::size_t x = word.find('x');
  VectorType result{detail::helper_type(word.substr(0, x)), 1};
  if (x == std::string_view::npos) return result;
  const char* end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data() + x + 1, end, result.lanes);
  if (error != std::errc() || rest != end || result.lanes < 2) result.type = nullptr;
  return result;
}

/// `text`, of the helper `name`, with its placeholders replaced: see Helper. Throws InternalError
/// for unknown ones.
inline std::string fill_helper(std::string_view text, const VectorType& type,
                               std::string_view name = "") {
  return detail::HelperFiller(text, type, name).result;
}

/// True if `helper` is written for the lanes of `type`.
inline bool fits(const Helper& helper, const VectorType& type) {
  const int bytes = type.type->size * type.lanes;
  switch (helper.lanes) {
    case Lanes::any:
      return true;
    case Lanes::one:
      return type.lanes == 1;
    case Lanes::vector:
      return type.lanes > 1;
    case Lanes::native:
      break;
  }
  return type.lanes > 1 && (bytes == 16 || bytes == 32 || bytes == 64);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
