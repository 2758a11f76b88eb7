#pragma once
// Helpers of generated C++ for products of few rows, which read the right operand in place.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper_text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of "multiply_rows_f32x16", where `name` is "multiply_rows": few rows of sums, from the
/// rows of the right operand; or of "multiply_dots_4x6_f32x16": dot products with its columns,
/// which are contiguous along the depth, 4 rows and 6 columns at a time. "even_dots" is for a depth
/// of whole vectors, "short_dots" for one of less than a vector. "multiply_rows_bf16" reads numbers
/// of another type than that of the sums: bf16, f16 or i8; "widen_bf16" and "widen_part_bf16" read
/// a vector of them. Empty for other names.
std::string multiply_few_rows(std::string_view name, const VectorType& type);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/prelude/few_rows.ipp>
#endif
