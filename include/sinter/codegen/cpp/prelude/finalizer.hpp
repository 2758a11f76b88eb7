#pragma once
// Helpers of generated C++ for partial reductions and finalizers.

#include <array>  // std::array

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 2> cpp_finalizer_helpers{{
    {"ends_last", "", Lanes::any,
     R"(// True for the thread that ends last, which sees what all others wrote.
INLINE bool ends_last(Context* context, long threads) {
  if (threads == 1) return true;
  if (__atomic_add_fetch(&context->ended, 1, __ATOMIC_ACQ_REL) != threads) return false;
  context->ended = 0;
  return true;
})"},
    {"fill", "u8 i8 i16 i32 i64 f32 f64", Lanes::one,
     R"(INLINE void fill_$S($E* to, long count, $E v) {
  for (long i = 0; i < count; ++i) to[i] = v;
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
