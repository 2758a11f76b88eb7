#pragma once
// CUDA helpers in inline PTX: asynchronous copies to shared memory, and tensor core products of
// 16-bit or TF32 operands with f32 accumulators.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 14> cuda_mma_helpers{{
    {"shared_address", "", Lanes::any,
     R"(INLINE unsigned shared_address(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
})"},
    {"copy_16", "", Lanes::any,
     R"(// Begins to copy 16 bytes to shared memory; behind the first `bytes` of them come zeros.
INLINE void copy_16(void* to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :: "r"(shared_address(to)), "l"(from), "r"(bytes) : "memory");
})"},
    {"end_copies", "", Lanes::any,
     R"(// Ends a group of copies.
INLINE void end_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); })"},
    {"wait_copies", "", Lanes::any,
     R"(// Waits for the copies of this thread but for the last `groups` groups.
template <int groups>
INLINE void wait_copies() { asm volatile("cp.async.wait_group %0;" :: "n"(groups) : "memory"); })"},
    {"load_matrices", "", Lanes::any,
     R"(// Loads four 8x8 matrices of 16-bit numbers: lane 8 i + j passes the address of row j of
// matrix i, and gets two neighbours of row lane / 4 of each matrix.
INLINE void load_matrices(unsigned (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(shared_address(row)));
})"},
    {"load_turned_matrices", "", Lanes::any,
     R"(// Loads the matrices transposed: a lane gets two neighbours of column lane / 4.
INLINE void load_turned_matrices(unsigned (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(shared_address(row)));
})"},
    {"mma", "bf16 f16", Lanes::one,
     R"(// Adds the product of a 16x16 and a 16x8 matrix, each shared by the lanes of a warp.
INLINE void mma_$S(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.$S.$S.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
})"},
    {"mma", "f32", Lanes::one,
     R"(// Adds the product of a 16x8 and an 8x8 matrix of TF32 numbers.
INLINE void mma_$S(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
})"},
    {"rounded_to_tf32", "", Lanes::any,
     R"(// Rounds to 11 bits, ties away from zero; the low 13 bits are zero.
INLINE unsigned rounded_to_tf32(float v) {
  unsigned r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
  return r;
})"},
    {"left_matrices", "bf16 f16", Lanes::one,
     R"(// 16 rows by 16 of the depth: 8 rows, the next 8, and both again 8 further along the depth.
template <class Left>
INLINE void left_matrices_$S(unsigned (&a)[4], const Left& left, int i, int k) {
  const int lane = threadIdx.x % 32, next_row = lane / 8 % 2 * 8, next_k = lane / 16 * 8;
  if (Left::deep) {
    load_matrices(a, left.at(i + next_row + lane % 8, k + next_k));
  } else {
    load_turned_matrices(a, left.at(i + next_row, k + next_k + lane % 8));
  }
})"},
    {"right_matrices", "bf16 f16", Lanes::one,
     R"(// 16 columns: 8 of them, further along the depth, and the next 8 columns alike.
template <class Right>
INLINE void right_matrices_$S(unsigned (&b)[4], const Right& right, int j, int k) {
  const int lane = threadIdx.x % 32, next_column = lane / 16 * 8, next_k = lane / 8 % 2 * 8;
  if (Right::deep) {
    load_matrices(b, right.at(j + next_column + lane % 8, k + next_k));
  } else {
    load_turned_matrices(b, right.at(j + next_column, k + next_k + lane % 8));
  }
})"},
    {"left_matrices", "f32", Lanes::one,
     R"(// 16 rows by 8 of the depth: 8 rows, the next 8, and both again 4 further along it.
// ldmatrix moves f32 as two 16-bit halves, which its transposed form would separate.
template <class Left>
INLINE void left_matrices_$S(unsigned (&a)[4], const Left& left, int i, int k) {
  const int lane = threadIdx.x % 32;
  if (Left::deep) load_matrices(a, left.at(i + lane % 16, k + lane / 16 * 4));
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    const float* const one = left.at(i + w % 2 * 8 + lane / 4, k + w / 2 * 4 + lane % 4);
    a[w] = rounded_to_tf32(Left::deep ? __uint_as_float(a[w]) : *one);
  }
})"},
    {"right_matrices", "f32", Lanes::one,
     R"(// 16 columns: 8 of them, further along the depth, and the next 8 columns alike.
template <class Right>
INLINE void right_matrices_$S(unsigned (&b)[4], const Right& right, int j, int k) {
  const int lane = threadIdx.x % 32;
  if (Right::deep) load_matrices(b, right.at(j + lane / 16 * 8 + lane % 8, k + lane / 8 % 2 * 4));
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    const float* const one = right.at(j + w / 2 * 8 + lane / 4, k + w % 2 * 4 + lane % 4);
    b[w] = rounded_to_tf32(Right::deep ? __uint_as_float(b[w]) : *one);
  }
})"},
    {"MmaSums", "bf16 f16 f32", Lanes::one,
     R"(// The sums of a tile, distributed over the registers of `down` x `across` warps.
template <class Left, class Right, int down, int across>
struct MmaSums_$S {
  static constexpr int threads = 32 * down * across, at_once = 32 / sizeof(typename Left::Number);
  static constexpr int high = Left::count / down / 16, wide = Right::count / across / 8;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp / across * high * 16, column = warp % across * wide * 8;
  float sum[high][wide][4] = {};

  __device__ __forceinline__ void add(const Left& left, const Right& right) {
#pragma unroll
    for (int k = 0; k < Left::depth; k += at_once) {
      unsigned a[high][4], b[wide / 2][4];
#pragma unroll
      for (int i = 0; i < high; ++i) left_matrices_$S(a[i], left, row + i * 16, k);
#pragma unroll
      for (int j = 0; j < wide; j += 2) right_matrices_$S(b[j / 2], right, column + j * 8, k);
#pragma unroll
      for (int i = 0; i < high; ++i) {
#pragma unroll
        for (int j = 0; j < wide; ++j) {
          mma_$S(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
      }
    }
  }

  // A lane has two neighbours of row lane / 4 of each 16x8 sums, and of the row 8 below.
  __device__ __forceinline__ void write(float* to, int pitch) const {
#pragma unroll
    for (int i = 0; i < high; ++i) {
#pragma unroll
      for (int j = 0; j < wide; ++j) {
        float* const at = to + (row + i * 16 + lane / 4) * pitch + column + j * 8 + lane % 4 * 2;
        *(f32x2*)at = {{sum[i][j][0], sum[i][j][1]}};
        *(f32x2*)(at + 8 * pitch) = {{sum[i][j][2], sum[i][j][3]}};
      }
    }
  }
};)"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
