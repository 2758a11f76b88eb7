#pragma once
// Helpers of generated C++ that add the lanes of many vectors at once.

#include <charconv>     // std::from_chars
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::move
#include <vector>       // std::vector

#include <sinter/base/text.hpp>
#include <sinter/codegen/text/helper_text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// `vectors` have the sums of the lanes of each given vector, in order; `lines`, indented by
/// `indent`, compute them. They add in the order of sum_lanes; new names begin with `prefix`.
struct FoldedLanes {
  std::string lines{};
  std::vector<std::string> vectors{};
};

namespace detail {

// The lanes of x and y in the first half of their group, or in the second.
inline std::string lanes_of_half(int lanes, int group, int half) {
  std::string result;
  for (int lane = half * group / 2; lane < 2 * lanes; lane += group) {
    for (int i = 0; i < group / 2; ++i) result += text(result.empty() ? "" : ", ", lane + i);
  }
  return result;
}

}  // namespace detail

/// The text of "fold_8_f32x16", where `name` is "fold_8": in each group of eight lanes the first
/// four plus the other four, those of one vector followed by those of another. Empty for other
/// names.
inline std::string fold_lanes(std::string_view name, const VectorType& type) {
  constexpr std::string_view fold = "fold_";
  if (!name.starts_with(fold)) return "";
  const char* const end = name.data() + name.size();
  int group = 0;
  const auto read = std::from_chars(name.data() + fold.size(), end, group);
  if (read.ptr != end || group < 2 || group > type.lanes) return "";
  const std::string form =
      text("INLINE $T ", name, "_$S($T x, $T y) {\n  return __builtin_shufflevector(x, y, ",
           detail::lanes_of_half(type.lanes, group, 0), ")\n      + __builtin_shufflevector(x, y, ",
           detail::lanes_of_half(type.lanes, group, 1), ");\n}");
  return fill_helper(form, type);
}

inline FoldedLanes fold_all_lanes(std::vector<std::string> vectors, int lanes,
                                  std::string_view prefix, std::string_view indent) {
  FoldedLanes result;
  for (int group = lanes; group > 1; group /= 2) {
    std::vector<std::string> sums;
    for (std::size_t i = 0; i < vectors.size(); i += 2) {
      const std::string& other = vectors[i + 1 < vectors.size() ? i + 1 : i];
      sums.push_back(text(prefix, group, "_", i / 2));
      result.lines += text(indent, "const $T ", sums.back(), " = fold_", group, "_$S(", vectors[i],
                           ", ", other, ");\n");
    }
    vectors = std::move(sums);
  }
  result.vectors = std::move(vectors);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
