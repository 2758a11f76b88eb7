#pragma once
// CUDA helpers for streaming kernels (online softmax): a block holds a tile of scores, rows x
// steps, and accumulators, rows x columns.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 14> cuda_streaming_helpers{{
    {"at_present", "", Lanes::any,
     R"(// Returns v, opaquely: code that depends on it is not hoisted out of loops, where it would
// occupy registers.
INLINE unsigned at_present(unsigned v) {
  asm volatile("" : "+r"(v));
  return v;
})"},
    {"near_exp", "f32", Lanes::one,
     R"(// exp to 22 bits in two instructions, for results that become tensor core operands.
INLINE float near_exp_f32(float v) {
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v * 0x1.715476p+0f));
  return r;
})"},
    {"two_of", "bf16 f16", Lanes::one,
     R"(// Packs two neighbours as tensor cores take them.
INLINE unsigned two_of_$S(float a, float b) {
  unsigned r;
  asm("cvt.rn.$Sx2.f32 %0, %1, %2;" : "=r"(r) : "f"(b), "f"(a));
  return r;
})"},
    {"left_of_scores", "bf16 f16", Lanes::one,
     R"(// Sums of 16x8 as a left operand: each lane already holds the elements that it needs.
INLINE void left_of_scores_$S(unsigned (&a)[4], const float (*part)[4]) {
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    const float* const two = part[w / 2] + w % 2 * 2;
    a[w] = two_of_$S(two[0], two[1]);
  }
})"},
    {"left_of_scores", "f32", Lanes::one,
     R"(// Sums of 16x8 as a left operand. The two neighbours of a lane are used as elements 4 apart
// along the depth; right_of_scores reads the right operand in the same order.
INLINE void left_of_scores_$S(unsigned (&a)[4], const float (*part)[4]) {
#pragma unroll
  for (int w = 0; w < 4; ++w) a[w] = rounded_to_tf32(part[0][w % 2 * 2 + w / 2]);
})"},
    {"right_of_scores", "bf16 f16", Lanes::one,
     R"(// The right operand of scores.
template <class Right>
INLINE void right_of_scores_$S(unsigned (&b)[4], const Right& right, int j, int k) {
  right_matrices_$S(b, right, j, k);
})"},
    {"right_of_scores", "f32", Lanes::one,
     R"(// The right operand of scores: each lane reads neighbours along the depth.
template <class Right>
INLINE void right_of_scores_$S(unsigned (&b)[4], const Right& right, int j, int k) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    b[w] = rounded_to_tf32(*right.at(j + w / 2 * 8 + lane / 4, k + lane % 4 * 2 + w % 2));
  }
})"},
    {"Turned", "", Lanes::any,
     R"(// A transposed view of M: its rows or columns become the depth.
template <class M>
using Turned = Operand<typename M::Number, M::depth, M::count, !M::deep>;)"},
    {"Fragments", "", Lanes::any,
     R"(// The elements of 16x8 tensor core accumulators that a lane holds: `slots` x `elements`.
template <int high, int wide>
struct Fragments {
  static constexpr int slots = 2 * high, elements = 2 * wide;
  float part[high][wide][4] = {};
  __device__ __forceinline__ float& at(int i, int e) {
    return part[i / 2][e / 2][i % 2 * 2 + e % 2];
  }
  static __device__ __forceinline__ int row_of(int i) {
    return threadIdx.x / 32 * 16 * high + i / 2 * 16 + i % 2 * 8 + threadIdx.x % 32 / 4;
  }
  static __device__ __forceinline__ int column_of(int e) {
    return e / 2 * 8 + threadIdx.x % 4 * 2 + e % 2;
  }
};)"},
    {"MmaLines", "bf16 f16 f32", Lanes::one,
     R"(// Tensor core tiles: a warp has 16 x `high` rows, 4 lanes per row.
template <int rows, int steps, int high>
struct MmaLines_$S {
  static constexpr int threads = rows / high * 2, lanes = 4;
  using Scores = Fragments<high, steps / 8>;
  template <class Right>
  using Sums = Fragments<high, Right::count / 8>;
  struct Memory {};
  __device__ __forceinline__ explicit MmaLines_$S(Memory*) {}

  // Scores: for each row and step, the sum of products along the depth.
  template <class Left, class Right>
  __device__ __forceinline__ void dot(Scores& to, const Left& left, const Right& right) const {
    const int row = threadIdx.x / 32 * 16 * high;
#pragma unroll
    for (int k = 0; k < Left::depth; k += 32 / sizeof(typename Left::Number)) {
      unsigned a[high][4];
#pragma unroll
      for (int i = 0; i < high; ++i) left_matrices_$S(a[i], left, row + i * 16, k);
#pragma unroll
      for (int j = 0; j < steps; j += 16) {
        unsigned b[4];
        right_matrices_$S(b, right, j, k);
#pragma unroll
        for (int i = 0; i < high; ++i) {
          mma_$S(to.part[i][j / 8], a[i], b[0], b[1]);
          mma_$S(to.part[i][j / 8 + 1], a[i], b[2], b[3]);
        }
      }
    }
  }

  // Adds scores times a matrix.
  template <class To, class Right>
  __device__ __forceinline__ void add(To& to, const Scores& from, const Right& right) const {
#pragma unroll
    for (int k = 0; k < steps; k += 32 / sizeof(typename Right::Number)) {
      unsigned a[high][4];
#pragma unroll
      for (int i = 0; i < high; ++i) left_of_scores_$S(a[i], from.part[i] + k / 8);
#pragma unroll
      for (int j = 0; j < Right::count; j += 16) {
        unsigned b[4];
        right_of_scores_$S(b, right, j, k);
#pragma unroll
        for (int i = 0; i < high; ++i) {
          mma_$S(to.part[i][j / 8], a[i], b[0], b[1]);
          mma_$S(to.part[i][j / 8 + 1], a[i], b[2], b[3]);
        }
      }
    }
  }

  template <class To, class T, class U>
  __device__ __forceinline__ void spread(const T& from, U& to) const {
#pragma unroll
    for (int i = 0; i < To::slots; ++i) to[i] = from[i];
  }
};)"},
    {"RegisterScores", "", Lanes::any,
     R"(// The scores of a row that a thread holds; `lanes` threads share a row.
template <class S, int lanes, int elements_>
struct RegisterScores {
  static constexpr int slots = 1, elements = elements_;
  S part[elements] = {};
  __device__ __forceinline__ S& at(int, int e) { return part[e]; }
  static __device__ __forceinline__ int row_of(int) { return threadIdx.x / lanes; }
  static __device__ __forceinline__ int column_of(int e) { return e * lanes + threadIdx.x % lanes; }
};)"},
    {"RegisterColumns", "", Lanes::any,
     R"(// The sums of 16 x 16 threads, indexed like tensor-core fragments.
template <class S, class Left, class Right>
struct RegisterColumns : RegisterSums<S, Left, Right> {
  using Base = RegisterSums<S, Left, Right>;
  static constexpr int slots = Base::high, elements = Base::wide;
  __device__ __forceinline__ S& at(int i, int e) { return this->sum[i][e]; }
  static __device__ __forceinline__ int row_of(int i) {
    return Base::template place<Left>(threadIdx.x / 16, i);
  }
  static __device__ __forceinline__ int column_of(int e) {
    return Base::template place<Right>(threadIdx.x % 16, e);
  }
};)"},
    {"RegisterLines", "", Lanes::any,
     R"(// Tiles on CUDA cores: 256 threads, which exchange scores through shared memory.
template <class S, int rows, int steps>
struct RegisterLines {
  static constexpr int threads = 256, lanes = threads / rows;
  using Scores = RegisterScores<S, lanes, steps / lanes>;
  using Left = Operand<S, rows, steps, true>;
  template <class Right>
  using Sums = RegisterColumns<S, Left, Right>;
  struct Memory {
    Left scores;
    double line[rows];
  };
  Memory* const memory;
  __device__ __forceinline__ explicit RegisterLines(Memory* at) : memory(at) {}

  template <class From, class Right>
  __device__ __forceinline__ void dot(Scores& to, const From& left, const Right& right) const {
    RegisterSums<S, From, Right> own;
    own.add(left, right);
    __syncthreads();
    own.write(&memory->scores.line[0][0], sizeof(memory->scores.line[0]) / sizeof(S));
    __syncthreads();
#pragma unroll
    for (int e = 0; e < Scores::elements; ++e) {
      to.at(0, e) = memory->scores.line[Scores::row_of(0)][Scores::column_of(e)];
    }
  }

  template <class To, class Right>
  __device__ __forceinline__ void add(To& to, Scores& from, const Right& right) const {
    __syncthreads();
#pragma unroll
    for (int e = 0; e < Scores::elements; ++e) {
      memory->scores.line[Scores::row_of(0)][Scores::column_of(e)] = from.at(0, e);
    }
    __syncthreads();
    to.add(memory->scores, right);
  }

  // Broadcasts per-row values to the threads that hold sums of the row.
  template <class To, class T, class U>
  __device__ __forceinline__ void spread(const T& from, U& to) const {
    auto* const line = (decltype(from[0] + from[0])*)memory->line;
    __syncthreads();
    if (threadIdx.x % lanes == 0) line[Scores::row_of(0)] = from[0];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < To::slots; ++i) to[i] = line[To::row_of(i)];
  }
};)"},
    {"scale_lines", "", Lanes::any,
     R"(// Multiplies the sums of each row by `by`.
template <class Lines, class Sums, class S, int n>
INLINE void scale_lines(const Lines& lines, Sums& sums, const S (&by)[n]) {
  S own[Sums::slots];
  lines.template spread<Sums>(by, own);
#pragma unroll
  for (int i = 0; i < Sums::slots; ++i) {
#pragma unroll
    for (int e = 0; e < Sums::elements; ++e) sums.at(i, e) *= own[i];
  }
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
