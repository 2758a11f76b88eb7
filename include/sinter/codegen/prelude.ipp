#pragma once

#include <algorithm>  // std::find
#include <array>      // std::array
#include <charconv>   // std::from_chars
#include <vector>     // std::vector

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/codegen/cpp_arithmetic.hpp>
#include <sinter/codegen/cpp_math.hpp>
#include <sinter/codegen/cpp_memory.hpp>
#include <sinter/codegen/cuda_helpers.hpp>
#include <sinter/codegen/prelude.hpp>

namespace sinter::inline SINTER_ABI::codegen {

namespace detail {

/// The types that helpers are written for: those of DType and the unsigned ones beside them.
struct HelperType {
  std::string_view name, c_name;
  int size;
  std::string_view integer, whole;  ///< Of the same size: signed, and unsigned.
};
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

SINTER_INLINE const HelperType* helper_type(std::string_view name) {
  for (const HelperType& type : helper_types) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

/// "f32x16"
struct Laned {
  const HelperType* type = nullptr;
  int lanes = 1;
};

SINTER_INLINE Laned laned(std::string_view word) {
  const std::size_t x = word.find('x');
  Laned result{helper_type(word.substr(0, x)), 1};
  if (x == std::string_view::npos) return result;
  const char* end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data() + x + 1, end, result.lanes);
  if (error != std::errc() || rest != end || result.lanes < 2) result.type = nullptr;
  return result;
}

SINTER_INLINE std::string laned_name(std::string_view type, int lanes) {
  return lanes == 1 ? std::string(helper_type(type)->c_name) : text(type, "x", lanes);
}

SINTER_INLINE std::string numbers(int first, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text(i == 0 ? "" : ", ", first + i);
  return result;
}

SINTER_INLINE std::string half_of(const std::string& vector, int first, int lanes) {
  if (lanes == 2) return text(vector, "[", first / (lanes / 2), "]");
  return text("__builtin_shufflevector(", vector, ", ", vector, ", ", numbers(first, lanes / 2),
              ")");
}

/// Replaces the placeholders of one helper: see Helper.
class Filled {
 public:
  Filled(std::string_view from, const Laned& type) : type_(type) { fill(from); }
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

  // What stands between the parentheses that open at `at`; moves `at` behind them.
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
    const HelperType& type = *type_.type;
    const int lanes = type_.lanes;
    switch (kind) {
      case '$': result += '$'; break;
      case 'T': result += laned_name(type.name, lanes); break;
      case 'E': result += type.c_name; break;
      case 'S': result += lanes == 1 ? std::string(type.name) : text(type.name, "x", lanes); break;
      case 'N': result += text(lanes); break;
      case 'B': result += text(8 * type.size); break;
      case 'L': result += numbers(0, lanes); break;
      case 'I': result += laned_name(type.integer, lanes); break;
      case 'J': result += helper_type(type.integer)->c_name; break;
      case 'U': result += laned_name(type.whole, lanes); break;
      case 'H': result += lanes == 2 ? std::string(type.name) : text(type.name, "x", lanes / 2); break;
      default: throw InternalError(text("codegen: a helper with $", std::string(1, kind)));
    }
    return at + 1;
  }

  std::size_t call(std::string_view from, std::size_t at) {
    const std::size_t open = from.find('(', at);
    const std::string_view name = from.substr(at, open - at);
    at = open;
    const std::string_view arguments = inside(from, at);
    const int lanes = type_.lanes;
    const std::size_t comma = std::min(arguments.find(", "), arguments.size());
    const std::string first(arguments.substr(0, comma));
    const std::string second =
        comma == arguments.size() ? "" : Filled(arguments.substr(comma + 2), type_).result;
    if (name.empty()) {
      result += laned_name(first, lanes);
    } else if (name == "low" || name == "high") {
      result += half_of(first, name == "low" ? 0 : lanes / 2, lanes);
    } else if (name == "as") {
      result += lanes == 1 ? text("(", laned_name(first, 1), ")(", second, ")")
                           : text("__builtin_convertvector(", second, ", ", first, "x", lanes, ")");
    } else if (name == "k") {
      result += lanes == 1 ? second : text("splat_", first, "x", lanes, "(", second, ")");
    } else {
      throw InternalError(text("codegen: a helper with $", name));
    }
    return at;
  }

  Laned type_;
};

SINTER_INLINE bool mentions(std::string_view types, std::string_view type) {
  std::size_t at = 0;
  while (at < types.size()) {
    const std::size_t end = std::min(types.find(' ', at), types.size());
    if (types.substr(at, end - at) == type) return true;
    at = end + 1;
  }
  return false;
}

SINTER_INLINE bool fits(const Helper& helper, const Laned& type) {
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

/// Collects helpers: those that a text names, after those that they name themselves.
class Prelude {
 public:
  explicit Prelude(Language language) : language_(language) {}

  void add_words(std::string_view from) {
    const auto in_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    for (std::size_t at = 0; at < from.size();) {
      std::size_t end = at;
      while (end < from.size() && in_word(from[end])) ++end;
      if (end > at) add(from.substr(at, end - at));
      at = end + 1;
    }
  }

  std::string text_of_all{};

 private:
  void add(std::string_view word) {
    if (std::find(known_.begin(), known_.end(), word) != known_.end()) return;
    known_.emplace_back(word);
    const std::string definition = define(word);
    if (definition.empty()) return;
    add_words(definition);
    text_of_all += definition + "\n";
  }

  std::string define(std::string_view word) const {
    const Laned type = laned(word);
    if (type.type != nullptr && type.lanes > 1) {
      return text("typedef ", type.type->c_name, " ", word, " __attribute__((vector_size(",
                  type.type->size * type.lanes, ")));");
    }
    const std::size_t line = word.rfind('_');
    if (line != std::string_view::npos) {
      const Laned of = laned(word.substr(line + 1));
      const std::string_view base = word.substr(0, line);
      if (of.type != nullptr) return instance(base, of);
    }
    for (const std::span<const Helper> table : tables()) {
      for (const Helper& helper : table) {
        if (helper.types.empty() && helper.name == word) return std::string(helper.text);
      }
    }
    return "";
  }

  std::string instance(std::string_view name, const Laned& type) const {
    const Helper* scalar = nullptr;
    for (const std::span<const Helper> table : tables()) {
      for (const Helper& helper : table) {
        if (helper.name != name || !mentions(helper.types, type.type->name)) continue;
        if (fits(helper, type)) return Filled(helper.text, type).result;
        if (helper.lanes == Lanes::one) scalar = &helper;
      }
    }
    return scalar != nullptr ? lane_by_lane(*scalar, type) : "";
  }

  static std::string lane_by_lane(const Helper& helper, const Laned& type) {
    const std::string_view parameters = helper.text.substr(0, helper.text.find(')'));
    const bool two = parameters.find(',') != std::string_view::npos;
    const std::string name(helper.name);
    const std::string form = text("INLINE $T ", name, two ? "_$S($T a, $T b)" : "_$S($T a)",
                                  " {\n  $T r = {};\n  for (int i = 0; i < $N; ++i) r[i] = ", name,
                                  "_", type.type->name, two ? "(a[i], b[i]);" : "(a[i]);",
                                  "\n  return r;\n}");
    return Filled(form, type).result;
  }

  std::array<std::span<const Helper>, 3> tables() const {
    if (language_ == Language::cuda) return {{cuda_helpers}};
    return {{cpp_memory_helpers, cpp_arithmetic_helpers, cpp_math_helpers}};
  }

  Language language_;
  std::vector<std::string> known_{};
};

}  // namespace detail

SINTER_INLINE std::string prelude(Language language, std::span<const Source> kernels) {
  detail::Prelude all(language);
  for (const Source& kernel : kernels) all.add_words(kernel.text);
  return text(language == Language::cpp ? detail::cpp_opening : detail::cuda_opening,
              all.text_of_all);
}

}  // namespace sinter::inline SINTER_ABI::codegen
