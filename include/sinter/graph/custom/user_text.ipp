#pragma once

#include <algorithm>  // std::min
#include <array>      // std::array

#include <sinter/base/text.hpp>
#include <sinter/graph/custom/user_text.hpp>

namespace sinter::inline SINTER_ABI::detail {

namespace user_text {

SINTER_INLINE bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The position after the comment, string or character that begins at `at`; `at` if none does.
SINTER_INLINE std::size_t skip_unread(std::string_view text, std::size_t at) {
  const std::string_view two = text.substr(at, 2);
  if (two == "//") return std::min(text.find('\n', at), text.size());
  if (two == "/*") return std::min(text.find("*/", at + 2), text.size() - 2) + 2;
  const bool is_digit_separator = text[at] == '\'' && at > 0 && in_word(text[at - 1]);
  if ((text[at] != '"' && text[at] != '\'') || is_digit_separator) return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

// Words and other letters, without comments, strings and directives.
SINTER_INLINE std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> result;
  bool begins_line = true;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t after = skip_unread(text, at); after != at) {
      at = after;
      continue;
    }
    if (text[at] == '#' && begins_line) {
      do {
        at = std::min(text.find('\n', at + 1), text.size());
      } while (at < text.size() && text[at - 1] == '\\');
      continue;
    }
    const bool is_space = text[at] == ' ' || text[at] == '\n' || text[at] == '\t';
    begins_line = text[at] == '\n' || (begins_line && is_space);
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    end = std::max(end, at + (text.substr(at, 2) == "::" ? 2 : 1));
    if (!is_space) result.push_back(text.substr(at, end - at));
    at = end;
  }
  return result;
}

using Tokens = std::vector<std::string_view>;

SINTER_INLINE bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  for (const std::string_view one : list) {
    if (one == word) return true;
  }
  return false;
}

// A type without what does not change its elements: "unsigned char", "std::int64_t".
SINTER_INLINE std::string type_text(const Tokens& tokens) {
  std::string result;
  for (const std::string_view token : tokens) {
    if (is_one_of(token, {"const", "volatile", "static", "inline", "constexpr", "extern", "*", "&",
                          "__restrict__", "__restrict", "restrict", "__device__", "__host__",
                          "__global__", "__forceinline__", "__noinline__", "struct"})) {
      continue;
    }
    const bool joins = result.empty() || token == "::" || result.back() == ':';
    result += text(joins ? "" : " ", token);
  }
  return result;
}

// The tokens of a declaration before a name, or before its default.
SINTER_INLINE UserParameter parameter_of(Tokens tokens) {
  UserParameter result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == "=") tokens.resize(i);
  }
  for (const std::string_view token : tokens) {
    result.is_pointer |= token == "*" || token == "[";
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == "[") tokens.resize(i);
  }
  const bool is_word = tokens.size() > 1 && in_word(tokens.back()[0]);
  const std::string all = type_text(tokens);
  const Tokens without(tokens.begin(), tokens.empty() ? tokens.end() : tokens.end() - 1);
  const std::string named = type_text(without);
  // "unsigned n" has a name, "unsigned char" has none.
  const bool has_name = is_word && !named.empty() && named.back() != ':' && !is_known_type(all) &&
                        !is_one_of(tokens.back(), {"const", "__restrict__", "__restrict"});
  result.type = has_name ? named : all;
  return result;
}

// The parameters, from the position after the parenthesis on.
SINTER_INLINE std::vector<UserParameter> parameters_from(const Tokens& tokens, std::size_t at) {
  std::vector<UserParameter> result;
  Tokens one;
  for (int depth = 0; at < tokens.size(); ++at) {
    const std::string_view token = tokens[at];
    if (depth == 0 && (token == ")" || token == ",")) {
      if (!one.empty() && type_text(one) != "void") result.push_back(parameter_of(one));
      if (!one.empty() && type_text(one) == "void" && one.size() > 1) {
        result.push_back(parameter_of(one));
      }
      one.clear();
      if (token == ")") break;
      continue;
    }
    depth += is_one_of(token, {"(", "<"}) ? 1 : is_one_of(token, {")", ">"}) ? -1 : 0;
    one.push_back(token);
  }
  return result;
}

// The result of the function whose name is token number `at`.
SINTER_INLINE std::string result_before(const Tokens& tokens, std::size_t at) {
  std::size_t begin = at;
  int depth = 0;
  while (begin > 0) {
    const std::string_view token = tokens[begin - 1];
    depth += token == ")" ? 1 : token == "(" ? -1 : 0;
    if (depth == 0 && is_one_of(token, {";", "}", "{", ">"})) break;
    --begin;
  }
  Tokens words;
  for (std::size_t i = begin; i < at; ++i) {
    if (is_one_of(tokens[i], {"__launch_bounds__", "__attribute__"})) {
      while (i < at && tokens[i] != ")") ++i;
      continue;
    }
    if (tokens[i] != ")") words.push_back(tokens[i]);
  }
  return type_text(words);
}

struct NamedType {
  std::string_view name;
  std::array<int, 3> dtypes;  // -1: no more
};

inline constexpr int of(DType dtype) { return static_cast<int>(dtype); }

inline constexpr NamedType known_types[]{
    {"bool", {of(boolean), -1, -1}},
    {"char", {of(i8), of(u8), of(boolean)}},
    {"signed char", {of(i8), -1, -1}},
    {"int8_t", {of(i8), -1, -1}},
    {"unsigned char", {of(u8), of(boolean), -1}},
    {"uint8_t", {of(u8), of(boolean), -1}},
    {"short", {of(i16), -1, -1}},
    {"int16_t", {of(i16), -1, -1}},
    {"unsigned short", {of(f16), of(bf16), -1}},
    {"uint16_t", {of(f16), of(bf16), -1}},
    {"int", {of(i32), -1, -1}},
    {"int32_t", {of(i32), -1, -1}},
    {"long", {of(i64), -1, -1}},
    {"long long", {of(i64), -1, -1}},
    {"int64_t", {of(i64), -1, -1}},
    {"_Float16", {of(f16), -1, -1}},
    {"__half", {of(f16), -1, -1}},
    {"half", {of(f16), -1, -1}},
    {"__bf16", {of(bf16), -1, -1}},
    {"__nv_bfloat16", {of(bf16), -1, -1}},
    {"float", {of(f32), -1, -1}},
    {"double", {of(f64), -1, -1}},
};

SINTER_INLINE const NamedType* find_type(std::string_view type) {
  if (type.substr(0, 5) == "std::") type.remove_prefix(5);
  for (const NamedType& one : known_types) {
    if (one.name == type) return &one;
  }
  return nullptr;
}

}  // namespace user_text

SINTER_INLINE UserFunction user_function(std::string_view text, std::string_view name) {
  const user_text::Tokens tokens = user_text::tokens_of(text);
  int depth = 0;                  // of braces, but for those of namespaces
  std::vector<bool> is_function;  // for each open brace
  bool opens_namespace = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i];
    if (token == "namespace" || token == "extern") opens_namespace = true;
    if (token == ";" || token == "(") opens_namespace = false;
    if (token == "{") {
      is_function.push_back(!opens_namespace);
      depth += opens_namespace ? 0 : 1;
      opens_namespace = false;
    } else if (token == "}" && !is_function.empty()) {
      depth -= is_function.back() ? 1 : 0;
      is_function.pop_back();
    }
    const bool is_head =
        depth == 0 && token == name && i > 0 && i + 1 < tokens.size() && tokens[i + 1] == "(";
    if (!is_head) continue;
    return {std::string(name), user_text::result_before(tokens, i),
            user_text::parameters_from(tokens, i + 2)};
  }
  return {};
}

SINTER_INLINE bool is_known_type(std::string_view type) {
  return type == "void" || user_text::find_type(type) != nullptr;
}

SINTER_INLINE bool may_be(std::string_view type, DType dtype) {
  const user_text::NamedType* const known = user_text::find_type(type);
  if (known == nullptr) return true;
  for (const int one : known->dtypes) {
    if (one == static_cast<int>(dtype)) return true;
  }
  return false;
}

SINTER_INLINE DType dtype_of_type(std::string_view type, DType otherwise) {
  const user_text::NamedType* const known = user_text::find_type(type);
  if (known == nullptr || may_be(type, otherwise)) return otherwise;
  return static_cast<DType>(known->dtypes[0]);
}

SINTER_INLINE UserText split_user_text(std::string_view text) {
  UserText result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t mark = line.find_first_not_of(" \t");
    std::string_view directive;
    if (mark != line.npos && line[mark] == '#') {
      const std::size_t word = line.find_first_not_of(" \t", mark + 1);
      directive = word == line.npos ? std::string_view() : line.substr(word);
    }
    if (directive.substr(0, 7) == "include") {
      result.includes += detail::text(line, "\n");
      result.body += "\n";
      continue;
    }
    result.body += detail::text(line, "\n");
    if (directive.substr(0, 7) != "define ") continue;
    const std::size_t name = std::min(directive.find_first_not_of(" \t", 7), directive.size());
    std::size_t last = name;
    while (last < directive.size() && user_text::in_word(directive[last])) ++last;
    result.undefines += detail::text("#undef ", directive.substr(name, last - name), "\n");
  }
  return result;
}

SINTER_INLINE std::string with_word(std::string_view text, std::string_view word,
                                    std::string_view replacement) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = user_text::skip_unread(text, at);
    const bool is_read = end == at;
    while (is_read && end < text.size() && user_text::in_word(text[end])) ++end;
    if (end == at) ++end;
    const std::string_view part = text.substr(at, end - at);
    result += is_read && part == word ? replacement : part;
    at = end;
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail
