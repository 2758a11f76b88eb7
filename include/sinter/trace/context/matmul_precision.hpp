#pragma once
// The precision of f32 matrix products on GPUs.

#include <cstdint>      // std::uint8_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

/// `highest`: f32 products use f32. `high`: tensor cores may round the operands to TF32, which has
/// 11 bits of precision instead of 24; accumulation stays f32. `medium` is the same as `high`.
enum class MatmulPrecision : std::uint8_t { highest, high, medium };

/// "highest", "high" or "medium".
std::string to_string(MatmulPrecision precision);

/// Sets the precision for all threads. GPU code compiled with fast numerics follows it, and is
/// recorded once for each precision; the host, eager evaluation and strict numerics always use f32.
/// Calls in progress on other threads use either setting.
///
/// Throws ValueError while a function is recorded, since a recording would not repeat it on every
/// call.
void set_float32_matmul_precision(MatmulPrecision precision, Where where = Where::current());
/// The same by name. Throws ValueError for other names as well.
void set_float32_matmul_precision(std::string_view precision, Where where = Where::current());

/// The current precision; MatmulPrecision::highest by default.
MatmulPrecision get_float32_matmul_precision();

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/context/matmul_precision.ipp>
#endif
