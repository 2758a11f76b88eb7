#pragma once
// Names the helpers that compute the sums of a product. prelude/register_tile and prelude/few_rows
// generate their code.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/text.hpp>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// "dots_4x6", or "even_dots_4x6" or "short_dots_4x6", whose texts take less time to compile.
inline std::string dots(const ProductDecision& how) {
  const bool is_known =
      how.depth.is_number() && how.depth.number() <= how.limits().most_unsplit_depth;
  const std::string_view form = !is_known                                  ? ""
                                : how.depth.number() % how.tile.lanes == 0 ? "even_"
                                : how.depth.number() < how.tile.lanes      ? "short_"
                                                                           : "";
  return text(form, "dots_", how.dots.rows, "x", how.dots.columns);
}

}  // namespace detail

/// The helper for a tile of at most `width` columns: "multiply_6x4_f32x16", or an expression that
/// chooses between such names by `height` and `width`.
inline std::string tile_helper(const ProductDecision& how, const std::string& width) {
  const auto name = [&](int rows, int vectors) {
    const bool rounds = how.options.strict && is_floating(how.dtype);
    return text("multiply_", how.prefetches_weights() ? "ahead_" : "",
                how.uses_amx        ? "squares_"
                : how.uses_bf16_dot ? "pairs_"
                : rounds            ? "rounded_"
                                    : "",
                rows, "x", vectors, "_", how.dtype,
                how.tile.lanes > 1 ? text("x", how.tile.lanes) : "");
  };
  std::string result = name(how.tile.rows, how.tile.vectors);
  if (how.tile.rest_rows > 0) {
    result = text("height > ", how.tile.rest_rows, " ? ", result, " : ",
                  name(how.tile.rest_rows, how.tile.vectors));
  }
  if (how.tile.rest_vectors > 0) {
    result = text(width, " <= ", how.tile.rest_vectors * how.tile.lanes, " ? ",
                  name(how.tile.rows, how.tile.rest_vectors), " : ", result);
  }
  return result;
}

/// The helper for few rows: "multiply_dots_4x6_bf16_f32x16".
inline std::string few_rows_helper(const ProductDecision& how) {
  const Instruction& load = how.at(how.right_load());
  const DType stored = how.kernel.arguments[static_cast<std::size_t>(load.argument)].dtype;
  return text("multiply_", how.method == ProductDecision::Method::dots ? detail::dots(how) : "rows",
              stored == how.dtype ? "" : text("_", stored), "_", how.dtype, "x", how.tile.lanes);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
