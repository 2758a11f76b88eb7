#pragma once

#include <algorithm>      // std::min
#include <array>          // std::array
#include <unordered_set>  // std::unordered_set

#include <sinter/base/text.hpp>
#include <sinter/codegen/cpp_arithmetic.hpp>
#include <sinter/codegen/cpp_circle.hpp>
#include <sinter/codegen/cpp_erf.hpp>
#include <sinter/codegen/cpp_few_rows.hpp>
#include <sinter/codegen/cpp_finish.hpp>
#include <sinter/codegen/cpp_fold.hpp>
#include <sinter/codegen/cpp_half.hpp>
#include <sinter/codegen/cpp_math.hpp>
#include <sinter/codegen/cpp_memory.hpp>
#include <sinter/codegen/cpp_near_zero.hpp>
#include <sinter/codegen/cpp_parts.hpp>
#include <sinter/codegen/cpp_power.hpp>
#include <sinter/codegen/cpp_product.hpp>
#include <sinter/codegen/cpp_sort.hpp>
#include <sinter/codegen/cpp_squares.hpp>
#include <sinter/codegen/cpp_transpose.hpp>
#include <sinter/codegen/cpp_windows.hpp>
#include <sinter/codegen/cuda_arithmetic.hpp>
#include <sinter/codegen/cuda_fold.hpp>
#include <sinter/codegen/cuda_lines.hpp>
#include <sinter/codegen/cuda_memory.hpp>
#include <sinter/codegen/cuda_mma.hpp>
#include <sinter/codegen/cuda_operands.hpp>
#include <sinter/codegen/cuda_scan.hpp>
#include <sinter/codegen/cuda_sort.hpp>
#include <sinter/codegen/helper_text.hpp>
#include <sinter/codegen/prelude.hpp>
#include <sinter/codegen/writer.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

SINTER_INLINE bool mentions(std::string_view types, std::string_view type) {
  std::size_t at = 0;
  while (at < types.size()) {
    const std::size_t end = std::min(types.find(' ', at), types.size());
    if (types.substr(at, end - at) == type) return true;
    at = end + 1;
  }
  return false;
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
    if (!known_.emplace(word).second) return;
    const std::string definition = define(word);
    if (definition.empty()) return;
    add_words(definition);
    for (std::size_t at = 0; at < definition.size();) {
      const std::size_t end = std::min(definition.find('\n', at), definition.size());
      text_of_all += wrapped(definition.substr(at, end - at)) + "\n";
      at = end + 1;
    }
  }

  std::string define(std::string_view word) const {
    if (const Laned type = laned(word); type.type != nullptr && type.lanes > 1) {
      const int bytes = type.type->size * type.lanes;
      if (language_ == Language::cuda) {
        return text("struct __align__(", bytes, ") ", word, " {\n  ", type.type->c_name, " lane[",
                    type.lanes, "];\n};");
      }
      return text("typedef ", type.type->c_name, " ", word, " __attribute__((vector_size(", bytes,
                  ")));");
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
    if (name.substr(0, 5) == "call_") {
      const std::string form = text("static __attribute__((noinline)) $T ", name,
                                    "_$S($T v) { return ", name.substr(5), "_$S(v); }");
      return fill_helper(form, type);
    }
    if (std::string tile = multiply_tile(name, type); !tile.empty()) return tile;
    if (std::string few = multiply_few_rows(name, type); !few.empty()) return few;
    if (std::string fold = fold_lanes(name, type); !fold.empty()) return fold;
    const Helper* scalar = nullptr;
    for (const std::span<const Helper> table : tables()) {
      for (const Helper& helper : table) {
        if (helper.name != name || !mentions(helper.types, type.type->name)) continue;
        if (fits(helper, type)) return fill_helper(helper.text, type);
        if (helper.lanes == Lanes::one) scalar = &helper;
      }
    }
    return scalar != nullptr ? lane_by_lane(*scalar, type) : "";
  }

  static std::string lane_by_lane(const Helper& helper, const Laned& type) {
    const std::string_view parameters = helper.text.substr(0, helper.text.find(')'));
    const bool two = parameters.find(',') != std::string_view::npos;
    const std::string name(helper.name);
    const std::string form =
        text("INLINE $T ", name, two ? "_$S($T a, $T b)" : "_$S($T a)",
             " {\n  $T r = {};\n  for (int i = 0; i < $N; ++i) r[i] = ", name, "_", type.type->name,
             two ? "(a[i], b[i]);" : "(a[i]);", "\n  return r;\n}");
    return fill_helper(form, type);
  }

  std::array<std::span<const Helper>, 15> tables() const {
    if (language_ == Language::cuda) {
      return {{cuda_memory_helpers, cuda_arithmetic_helpers, cuda_fold_helpers, cuda_scan_helpers,
               cuda_sort_helpers, cuda_operand_helpers, cuda_mma_helpers, cuda_line_helpers}};
    }
    return {{cpp_memory_helpers, cpp_arithmetic_helpers, cpp_math_helpers, cpp_circle_helpers,
             cpp_near_zero_helpers, cpp_product_helpers, cpp_sort_helpers, cpp_transpose_helpers,
             cpp_finish_helpers, cpp_half_helpers, cpp_parts_helpers, cpp_erf_helpers,
             cpp_power_helpers, cpp_window_helpers, cpp_square_helpers}};
  }

  Language language_;
  std::unordered_set<std::string> known_{};
};

}  // namespace detail

SINTER_INLINE std::string prelude(Language language, std::span<const Source> kernels) {
  detail::Prelude all(language);
  for (const Source& kernel : kernels) all.add_words(kernel.text);
  return text(language == Language::cpp ? detail::cpp_opening : detail::cuda_opening,
              all.text_of_all);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
