#pragma once
// Helpers of generated C++ that multiply bf16 in AMX tiles, of 16 by 16 sums.

#include <array>        // std::array
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/codegen/text/helper_text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

/// The text of "multiply_squares_16x4_f32x16", where `vectors` is 4: see multiply_tile().
std::string multiply_amx_tile(std::string_view name, int vectors, const VectorType& type);

inline constexpr std::array<Helper, 5> cpp_amx_helpers{{
    {"begin_squares", "", Lanes::any,
     R"(// Tile registers 0 to 3 have sums, 4 has `height` rows of the left operand, 5 columns of
// the right one; 6 and 7 have the `rest` of these at the end of the depth.
INLINE void begin_squares(long height, long rest) {
  struct {
    unsigned char palette = 1, start = 0, none[14] = {};
    unsigned short bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    unsigned char rows[16] = {1, 1, 1, 1, 1, 16, 1, 16};
  } shape;
  for (int i = 0; i < 5; ++i) shape.rows[i] = (unsigned char)height;
  shape.rows[6] = (unsigned char)height;
  if (rest > 0) {
    shape.bytes[6] = (unsigned short)((rest + 1) / 2 * 4);
    shape.rows[7] = (unsigned char)((rest + 1) / 2);
  }
  __asm__ volatile("ldtilecfg %0" : : "m"(shape));
})"},
    {"load_square", "f32 bf16", Lanes::one,
     R"~(template <int square>
INLINE void load_square_$S(const $T* p, long pitch) {
  const long step = pitch * (long)sizeof($T);
  __asm__ volatile("tileloadd (%1,%2,1), %%tmm%c0" : : "i"(square), "r"(p), "r"(step) : "memory");
})~"},
    {"store_square", "f32", Lanes::one,
     R"~(template <int square>
INLINE void store_square_$S($T* p, long pitch) {
  const long step = pitch * (long)sizeof($T);
  __asm__ volatile("tilestored %%tmm%c0, (%1,%2,1)" : : "i"(square), "r"(p), "r"(step) : "memory");
})~"},
    {"clear_square", "f32", Lanes::one,
     R"(template <int square>
INLINE void clear_square_$S() {
  __asm__ volatile("tilezero %%tmm%c0" : : "i"(square));
})"},
    {"add_square", "f32", Lanes::one,
     R"(// Adds the dot products of pairs of bf16. The instruction treats numbers below 2^-126 as 0.
template <int sums, int left, int right>
INLINE void add_square_$S() {
  __asm__ volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sums), "i"(left), "i"(right));
})"},
}};

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/prelude/amx_tile.ipp>
#endif
