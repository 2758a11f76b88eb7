#pragma once
// All helpers of generated C++.

#include <sinter/codegen/cpp/prelude/amx_tile.hpp>
#include <sinter/codegen/cpp/prelude/arithmetic.hpp>
#include <sinter/codegen/cpp/prelude/erf.hpp>
#include <sinter/codegen/cpp/prelude/few_rows.hpp>
#include <sinter/codegen/cpp/prelude/finalizer.hpp>
#include <sinter/codegen/cpp/prelude/float_bits.hpp>
#include <sinter/codegen/cpp/prelude/fold.hpp>
#include <sinter/codegen/cpp/prelude/half.hpp>
#include <sinter/codegen/cpp/prelude/math.hpp>
#include <sinter/codegen/cpp/prelude/memory.hpp>
#include <sinter/codegen/cpp/prelude/near_zero.hpp>
#include <sinter/codegen/cpp/prelude/power.hpp>
#include <sinter/codegen/cpp/prelude/random.hpp>
#include <sinter/codegen/cpp/prelude/register_tile.hpp>
#include <sinter/codegen/cpp/prelude/sort.hpp>
#include <sinter/codegen/cpp/prelude/transpose.hpp>
#include <sinter/codegen/cpp/prelude/trigonometric.hpp>
#include <sinter/codegen/cpp/prelude/windows.hpp>
#include <sinter/codegen/cpp/prelude/winograd.hpp>
#include <sinter/codegen/text/prelude.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

inline std::string cpp_vector(std::string_view name, const VectorType& type, int bytes) {
  return text("typedef ", type.type->c_name, " ", name, " __attribute__((vector_size(", bytes,
              ")));");
}

}  // namespace detail

inline HelperSet& cpp_helpers() {
  static auto& helpers = *new HelperSet(HelperTables{
      .opening = detail::cpp_opening,
      .vector = detail::cpp_vector,
      .tables = {detail::cpp_memory_helpers, detail::cpp_arithmetic_helpers,
                 detail::cpp_math_helpers, detail::cpp_trigonometric_helpers,
                 detail::cpp_near_zero_helpers, detail::cpp_product_helpers,
                 detail::cpp_sort_helpers, detail::cpp_transpose_helpers,
                 detail::cpp_finalizer_helpers, detail::cpp_half_helpers,
                 detail::cpp_float_bits_helpers, detail::cpp_erf_helpers, detail::cpp_power_helpers,
                 detail::cpp_window_helpers, detail::cpp_winograd_helpers, detail::cpp_amx_helpers,
                 detail::cpp_random_helpers},
      .families = {multiply_tile, multiply_few_rows, fold_lanes}});
  return helpers;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
