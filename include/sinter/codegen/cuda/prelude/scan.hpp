#pragma once
// CUDA helpers: inclusive scans across the threads of a block.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 4> cuda_scan_helpers{{
    {"warp_before", "u8 i8 i16", Lanes::one,
     R"(INLINE $E warp_before_$S($E v, int offset) {
  return ($E)__shfl_up_sync(~0u, (int)v, offset);
})"},
    {"warp_before", "i32 i64 f32 f64", Lanes::one,
     R"(INLINE $E warp_before_$S($E v, int offset) { return __shfl_up_sync(~0u, v, offset); })"},
    {"block_cumsum", "u8 i8 i16 i32 i64 f32 f64", Lanes::one,
     R"(// Inclusive sum over the threads of a block, added to `before`, which becomes the total.
INLINE $E block_cumsum_$S($E v, $E& before) {
  __shared__ $E parts[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int offset = 1; offset < 32; offset *= 2) {
    const $E w = warp_before_$S(v, offset);
    if (lane >= offset) v = add_$S(w, v);
  }
  __syncthreads();
  if (lane == 31) parts[warp] = v;
  __syncthreads();
  $E result = v;
  for (int i = 0; i < blockDim.x / 32; ++i) {
    if (i == warp) result = add_$S(before, v);
    before = add_$S(before, parts[i]);
  }
  return result;
})"},
    {"block_cumprod", "u8 i8 i16 i32 i64 f32 f64", Lanes::one,
     R"(// Inclusive product over the threads of a block, times `before`, which is advanced too.
INLINE $E block_cumprod_$S($E v, $E& before) {
  __shared__ $E parts[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int offset = 1; offset < 32; offset *= 2) {
    const $E w = warp_before_$S(v, offset);
    if (lane >= offset) v = mul_$S(w, v);
  }
  __syncthreads();
  if (lane == 31) parts[warp] = v;
  __syncthreads();
  $E result = v;
  for (int i = 0; i < blockDim.x / 32; ++i) {
    if (i == warp) result = mul_$S(before, v);
    before = mul_$S(before, parts[i]);
  }
  return result;
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
