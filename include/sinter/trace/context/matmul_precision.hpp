#pragma once
// How precisely GPUs multiply matrices of f32.

#include <cstdint>      // std::uint8_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

/// `highest`: products of f32 are products of f32. `high`: tensor cores may round what is
/// multiplied to TF32, to 11 bits of 24; sums stay f32. `medium` is as `high`.
enum class MatmulPrecision : std::uint8_t { highest, high, medium };

/// "highest", "high" or "medium".
std::string to_string(MatmulPrecision precision);

/// From now on, in all threads. What is compiled with fast numerics for a GPU follows it, and is
/// recorded once for each precision; the host, eager evaluation and strict numerics multiply f32 as
/// f32 whatever it is. Calls that are under way in other threads take the one or the other.
///
/// Throws ValueError while a function is recorded, which happens once and not at every call.
void set_float32_matmul_precision(MatmulPrecision precision, Where where = Where::current());
/// The same by name. Throws ValueError for other names as well.
void set_float32_matmul_precision(std::string_view precision, Where where = Where::current());

/// The present one; MatmulPrecision::highest if nobody set another.
MatmulPrecision get_float32_matmul_precision();

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/context/matmul_precision.ipp>
#endif
