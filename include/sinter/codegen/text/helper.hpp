#pragma once
// Describes a helper of generated code: a template of its text for any type and number of lanes.

#include <cstdint>      // std::uint8_t
#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The types that a helper is written for.
enum class Lanes : std::uint8_t {
  any,     ///< Scalars and vectors.
  one,     ///< Scalars; vectors call it lane by lane.
  vector,  ///< Vectors.
  native,  ///< Vectors of 16, 32 or 64 bytes.
};

/// The text of "exp_f32", and of "exp_f32x16" for any number of lanes. Its placeholders are
///
///     $T $E       the type, that of one lane         $(i32)    a type with the same lanes
///     $S $N       "f32x16", 16                       $I $J     the integers of the same size
///     $B $L       bits of a lane; "0, 1, 2, ..."     $U        the same, unsigned
///     $H          "f32x8": half of the lanes         $low(v) $high(v)    these halves
///     $V          "0, 2, 4, ..."
///     $W          "0, 2, 4, ..., 17, 19, ...": the same of one vector, then the others of a second
///     $P $Q       "0, 16, 1, 17, ...": pairs of lanes of two vectors, of their low and high halves
///     $G          "0, 4, 1, 5, ...": pairs of lanes of two vectors of a quarter of the lanes
///     $as(i32, v) v converted                        $k(f32, x)   x in all lanes
///     $F $D       "f" and "s" for f32, as in sinf and addps; "" and "d" for f64
///     $or(x, y)   x for types of at most 4 bytes, else y
///     $1          "f32"                              $O           "sum" of "row_sum"
struct Helper {
  std::string_view names;  ///< "exp", or "row_sum row_max"; without types, the whole name.
  std::string_view types;  ///< "f32 f64"
  Lanes lanes;
  std::string_view text;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
