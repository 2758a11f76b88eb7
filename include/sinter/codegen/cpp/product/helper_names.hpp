#pragma once
// Names the helpers that compute the sums of a product. prelude/register_tile and prelude/few_rows
// generate their code.

#include <string>  // std::string

#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The helper for a tile of at most `width` columns: "multiply_6x4_f32x16", or an expression that
/// chooses between such names by `height` and `width`.
std::string tile_helper(const ProductDecision& how, const std::string& width);

/// The helper for few rows: "multiply_dots_4x6_bf16_f32x16".
std::string few_rows_helper(const ProductDecision& how);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/product/helper_names.ipp>
#endif
