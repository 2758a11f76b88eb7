#pragma once
// CUDA helpers: reductions across the threads of a row, a block or a column.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 22> cuda_reduction_helpers{{
    {"row_mask", "", Lanes::any,
     R"(// The lanes of a warp that share a row with this one, where `threads` neighbours do.
template <int threads>
INLINE unsigned row_mask() {
  return threads == 32 ? ~0u : ((1u << threads % 32) - 1) << threadIdx.x % 32 / threads * threads;
})"},
    {"row_fold", "", Lanes::any,
     R"(// Over the `threads` neighbours that share a row, at most a warp, which all get the result.
template <int threads, class T, class Fold>
INLINE T row_fold(T v, Fold fold) {
#pragma unroll
  for (int offset = threads / 2; offset > 0; offset /= 2) {
    v = fold(v, (T)__shfl_xor_sync(row_mask<threads>(), +v, offset));
  }
  return v;
})"},
    {"block_fold", "", Lanes::any,
     R"(// Reduces over the threads of a block of `warps`; all get the result. `parts` may be reused
// only after a barrier.
template <int warps, class T, class Fold>
INLINE T block_fold(T v, T (&parts)[warps], Fold fold) {
  v = row_fold<32>(v, fold);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
  __syncthreads();
  v = parts[0];
#pragma unroll 4
  for (int warp = 1; warp < warps; ++warp) v = fold(v, parts[warp]);
  return v;
})"},
    {"column_fold", "", Lanes::any,
     R"(// Reduces over the threads of a block that are equal modulo `columns`; all get the result.
// `parts` may be reused only after a barrier.
template <int columns, class T, int size, class Fold>
INLINE T column_fold(T v, T (&parts)[size], Fold fold) {
#pragma unroll
  for (int offset = 16; offset >= columns; offset /= 2) {
    v = fold(v, (T)__shfl_xor_sync(~0u, +v, offset));
  }
  const int column = threadIdx.x % columns;
  if (threadIdx.x % 32 == column) parts[threadIdx.x / 32 * columns + column] = v;
  __syncthreads();
  v = parts[column];
#pragma unroll
  for (int warp = columns; warp < size; warp += columns) v = fold(v, parts[warp + column]);
  return v;
})"},
    {"fold_sum", "u8 i8 i16 i32 i64 f32 f64", Lanes::one,
     R"(struct fold_sum_$S {
  __device__ $E operator()($E a, $E b) const { return add_$S(a, b); }
};)"},
    {"fold_prod", "u8 i8 i16 i32 i64 f32 f64", Lanes::one,
     R"(struct fold_prod_$S {
  __device__ $E operator()($E a, $E b) const { return mul_$S(a, b); }
};)"},
    {"fold_max", "u8 i8 i16 i32 i64 f32 f64", Lanes::one,
     R"(struct fold_max_$S {
  __device__ $E operator()($E a, $E b) const { return maximum_$S(b, a); }
};)"},
    {"fold_min", "u8 i8 i16 i32 i64 f32 f64", Lanes::one,
     R"(struct fold_min_$S {
  __device__ $E operator()($E a, $E b) const { return minimum_$S(b, a); }
};)"},
    {"fold_max", "bool", Lanes::one,
     R"(struct fold_max_$S {
  __device__ $E operator()($E a, $E b) const { return a | b; }
};)"},
    {"fold_min", "bool", Lanes::one,
     R"(struct fold_min_$S {
  __device__ $E operator()($E a, $E b) const { return a & b; }
};)"},
    {"row_sum row_prod", "u8 i8 i16 i32 i64 f32 f64", Lanes::one,
     R"(template <int threads>
INLINE $E row_$O_$S($E v) { return row_fold<threads>(v, fold_$O_$S()); })"},
    {"row_max row_min", "u8 i8 i16 i32 i64 f32 f64 bool", Lanes::one,
     R"(template <int threads>
INLINE $E row_$O_$S($E v) { return row_fold<threads>(v, fold_$O_$S()); })"},
    {"block_sum block_prod", "u8 i8 i16 i32 i64 f32 f64", Lanes::one,
     R"(template <int warps>
INLINE $E block_$O_$S($E v, $E (&parts)[warps]) {
  return block_fold(v, parts, fold_$O_$S());
})"},
    {"block_max block_min", "u8 i8 i16 i32 i64 f32 f64 bool", Lanes::one,
     R"(template <int warps>
INLINE $E block_$O_$S($E v, $E (&parts)[warps]) {
  return block_fold(v, parts, fold_$O_$S());
})"},
    {"column_sum column_prod", "u8 i8 i16 i32 i64 f32 f64", Lanes::one,
     R"(template <int columns, int size>
INLINE $E column_$O_$S($E v, $E (&parts)[size]) {
  return column_fold<columns>(v, parts, fold_$O_$S());
})"},
    {"column_max column_min", "u8 i8 i16 i32 i64 f32 f64 bool", Lanes::one,
     R"(template <int columns, int size>
INLINE $E column_$O_$S($E v, $E (&parts)[size]) {
  return column_fold<columns>(v, parts, fold_$O_$S());
})"},
    {"ordered_sum", "f32 f64", Lanes::one,
     R"(// Adds `v` of the first `count` threads of a warp to `sum`, in order. They all call it.
INLINE $E ordered_sum_$S($E sum, $E v, int count) {
  const unsigned mask = count < 32 ? (1u << count) - 1 : ~0u;
  for (int lane = 0; lane < 32 && lane < count; ++lane) sum = sum + __shfl_sync(mask, v, lane);
  return sum;
})"},
    {"ordered_prod", "f32 f64", Lanes::one,
     R"(// Multiplies `product` by `v` of the first `count` threads of a warp, in order.
INLINE $E ordered_prod_$S($E product, $E v, int count) {
  const unsigned mask = count < 32 ? (1u << count) - 1 : ~0u;
  for (int lane = 0; lane < 32 && lane < count; ++lane) {
    product = product * __shfl_sync(mask, v, lane);
  }
  return product;
})"},
    {"is_behind", "u8 i8 i16 i32 i64 f32 f64 bool", Lanes::one,
     R"(// True if `w` is larger than `v`, or equal and at an earlier position; NaN is the largest.
INLINE bool is_behind_$S($E v, long at, $E w, long there) {
  const bool equal = v == w || (v != v && w != w);
  return equal ? there < at : w > v || w != w;
})"},
    {"row_argmax", "u8 i8 i16 i32 i64 f32 f64 bool", Lanes::one,
     R"(// The position of the largest `v` of the `threads` neighbours of a row; sets `v` to it.
template <int threads>
INLINE long row_argmax_$S($E& v, long at) {
#pragma unroll
  for (int offset = threads / 2; offset > 0; offset /= 2) {
    const $E w = ($E)__shfl_xor_sync(row_mask<threads>(), +v, offset);
    const long there = __shfl_xor_sync(row_mask<threads>(), at, offset);
    if (is_behind_$S(v, at, w, there)) v = w, at = there;
  }
  return at;
})"},
    {"block_argmax", "u8 i8 i16 i32 i64 f32 f64 bool", Lanes::one,
     R"(// The position of the largest `v` of a block of `warps`.
template <int warps>
INLINE long block_argmax_$S($E v, long at, $E (&parts)[warps], long (&places)[warps]) {
  at = row_argmax_$S<32>(v, at);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v, places[threadIdx.x / 32] = at;
  __syncthreads();
  v = parts[0], at = places[0];
  for (int warp = 1; warp < warps; ++warp) {
    if (is_behind_$S(v, at, parts[warp], places[warp])) v = parts[warp], at = places[warp];
  }
  return at;
})"},
    {"column_argmax", "u8 i8 i16 i32 i64 f32 f64 bool", Lanes::one,
     R"(// The position of the largest `v` of the threads that are equal modulo `columns`.
template <int columns, int size>
INLINE long column_argmax_$S($E v, long at, $E (&parts)[size], long (&places)[size]) {
#pragma unroll
  for (int offset = 16; offset >= columns; offset /= 2) {
    const $E w = ($E)__shfl_xor_sync(~0u, +v, offset);
    const long there = __shfl_xor_sync(~0u, at, offset);
    if (is_behind_$S(v, at, w, there)) v = w, at = there;
  }
  const int column = threadIdx.x % columns, own = threadIdx.x / 32 * columns + column;
  if (threadIdx.x % 32 == column) parts[own] = v, places[own] = at;
  __syncthreads();
  v = parts[column], at = places[column];
  for (int warp = column + columns; warp < size; warp += columns) {
    if (is_behind_$S(v, at, parts[warp], places[warp])) v = parts[warp], at = places[warp];
  }
  return at;
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
