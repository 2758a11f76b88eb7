#pragma once
// CUDA helpers for products: tile positions, operands in shared memory, and sums on CUDA cores.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 11> cuda_operand_helpers{{
    {"Tile", "", Lanes::any,
     R"(// Which of the results a task computes: `high` rows by `wide` columns. Bands of 8 tiles are
// gone over column by column, so that tiles that run at the same time share operands.
template <int high, int wide, class Int>
struct Tile {
  Int batch, row, column;
  __device__ __forceinline__ Tile(Int task, Int rows, Int columns) {
    const Int down = (rows + high - 1) / high, across = (columns + wide - 1) / wide;
    const Int inner = task % (down * across), band = inner / (8 * across) * 8;
    const Int tall = down - band < 8 ? down - band : 8;
    batch = task / (down * across);
    row = (band + inner % (8 * across) % tall) * high;
    column = inner % (8 * across) / tall * wide;
  }
};)"},
    {"Several", "", Lanes::any,
     R"(// Neighbours that are read and written up to 16 bytes at a time.
template <class T, int n>
struct __align__(n * sizeof(T) < 16 ? n * sizeof(T) : 16) Several {
  T lane[n];
};)"},
    {"Operand", "", Lanes::any,
     R"(// A part of an operand in shared memory: `count` rows of the left one, or columns of the
// right one, with `depth` numbers each. Lines lie along the depth if it is `deep`, else across it,
// and are at least 16 bytes longer than what they hold, so that neighbours begin in other banks.
template <class T, int count_, int depth_, bool deep_, int padding = 16 / sizeof(T)>
struct __align__(16) Operand {
  using Number = T;
  static constexpr int count = count_, depth = depth_;
  static constexpr bool deep = deep_;
  static constexpr int lines = deep ? count : depth, width = deep ? depth : count;
  static constexpr int chunk = 16 / sizeof(T), chunks = width / chunk;
  T line[lines][width + padding];

  __device__ __forceinline__ const T* at(int i, int k) const {
    return deep ? &line[i][k] : &line[k][i];
  }

  // Begins to copy what lies at `from`, lines `stride` apart. There are `high` lines of `wide`
  // numbers; zeros stand for others. Without alignment numbers are copied one by one.
  template <int threads, class Int>
  __device__ __forceinline__ void copy(const T* from, Int stride, Int high, Int wide,
                                       unsigned thread = threadIdx.x) {
    if (((unsigned long)from | (unsigned long)stride * sizeof(T)) % 16 != 0) {
      return copy_numbers<threads>(from, stride, high, wide, thread);
    }
#pragma unroll
    for (int first = 0; first < lines * chunks; first += threads) {
      const int i = first + thread, row = i / chunks, at = i % chunks * chunk;
      if (lines * chunks % threads != 0 && i >= lines * chunks) break;
      const Int live = row < high && at < wide ? wide - at : 0;
      copy_16(&line[row][at], live > 0 ? from + row * stride + at : from,
              (live < chunk ? live : chunk) * sizeof(T));
    }
  }

  template <int threads, class Int>
  __device__ __forceinline__ void copy_numbers(const T* from, Int stride, Int high, Int wide,
                                               unsigned thread) {
#pragma unroll 2
    for (int i = thread; i < lines * chunks; i += threads) {
      const int row = i / chunks, at = i % chunks * chunk;
      Several<T, chunk> v;
#pragma unroll
      for (int j = 0; j < chunk; ++j) {
        v.lane[j] = row < high && at + j < wide ? from[row * stride + at + j] : 0;
      }
      *(Several<T, chunk>*)&line[row][at] = v;
    }
  }

  // Computes the numbers: `pack(line, at)` gives `n` neighbours, `one(line, at)` a single one.
  template <int threads, int n, class Int, class Pack, class One>
  __device__ __forceinline__ void fill(Int high, Int wide, Pack pack, One one,
                                       unsigned thread = threadIdx.x) {
#pragma unroll 8
    for (int first = 0; first < lines * width / n; first += threads) {
      const int i = first + thread, row = i / (width / n), at = i % (width / n) * n;
      if (lines * width / n % threads != 0 && i >= lines * width / n) break;
      if (row < high && at + n <= wide) {
        if constexpr (n == 1) {
          line[row][at] = one(row, at);
        } else {
          const Several<T, n> v = pack(row, at);
          *(Several<T, n>*)&line[row][at] = v;
        }
      } else {
#pragma unroll 1
        for (int j = 0; j < n; ++j) {
          line[row][at + j] = row < high && at + j < wide ? one(row, at + j) : 0;
        }
      }
    }
  }
};)"},
    {"in_turns", "", Lanes::any,
     R"(// `fetch(buffer, step)` brings operands to one of several buffers. `multiply(buffer)`
// follows some steps later, while the next ones are under way.
template <int buffers, class Int, class Fetch, class Multiply>
INLINE void in_turns(Int steps, Fetch fetch, Multiply multiply) {
  for (Int step = 1 - buffers; step < steps; ++step) {
    wait_copies<buffers - 2>();
    __syncthreads();
    const Int next = step + buffers - 1;
    if (next < steps) fetch(next % buffers, next);
    end_copies();
    __syncwarp();
    if (step >= 0) multiply(step % buffers);
  }
  __syncthreads();
})"},
    {"read_steps", "", Lanes::any,
     R"(// Of four steps of the depth, the `n` rows or columns that belong to one of 16 threads.
template <class S, int n, class From>
INLINE void read_steps(S (&to)[4][n], const From& from, int thread, int k) {
  constexpr int part = n < 4 ? n : 4;
  if constexpr (From::deep) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const auto v = *(const Several<typename From::Number, 4>*)from.at(thread + 16 * i, k);
#pragma unroll
      for (int step = 0; step < 4; ++step) to[step][i] = v.lane[step];
    }
  } else {
#pragma unroll
    for (int i = 0; i < 4 * n; i += part) {
      const int step = i / n, at = thread * part + i % n * 16;
      const auto v = *(const Several<typename From::Number, part>*)from.at(at, k + step);
#pragma unroll
      for (int j = 0; j < part; ++j) to[step][i % n + j] = v.lane[j];
    }
  }
})"},
    {"plus", "", Lanes::any,
     R"(// a + b; integers wrap.
INLINE float plus(float a, float b) { return a + b; }
INLINE double plus(double a, double b) { return a + b; }
INLINE int plus(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
INLINE long plus(long a, long b) { return (long)((unsigned long)a + (unsigned long)b); })"},
    {"multiply_add", "", Lanes::any,
     R"(// sum + a * b, where whole numbers wrap.
INLINE float multiply_add(float sum, float a, float b) { return sum + a * b; }
INLINE double multiply_add(double sum, double a, double b) { return sum + a * b; }
INLINE int multiply_add(int sum, int a, int b) {
  return (int)((unsigned)sum + (unsigned)a * (unsigned)b);
}
INLINE long multiply_add(long sum, long a, long b) {
  return (long)((unsigned long)sum + (unsigned long)a * (unsigned long)b);
})"},
    {"RegisterSums", "", Lanes::any,
     R"(// The sums of a tile in the registers of 16 x 16 threads.
template <class S, class Left, class Right>
struct RegisterSums {
  static constexpr int threads = 256, high = Left::count / 16, wide = Right::count / 16;
  const int row = threadIdx.x / 16, column = threadIdx.x % 16;
  S sum[high][wide] = {};

  __device__ __forceinline__ void add(const Left& left, const Right& right) {
#pragma unroll
    for (int k = 0; k < Left::depth; k += 4) {
      S a[4][high], b[4][wide];
      read_steps(a, left, row, k);
      read_steps(b, right, column, k);
#pragma unroll
      for (int i = 0; i < 4 * high * wide; ++i) {
        const int step = i / (high * wide), down = i / wide % high, across = i % wide;
        sum[down][across] =
            multiply_add(sum[down][across], a[step][down], b[step][across]);
      }
    }
  }

  template <class From>
  static __device__ __forceinline__ int place(int thread, int i) {
    constexpr int part = From::count < 64 ? From::count / 16 : 4;
    return From::deep ? thread + 16 * i : thread * part + i % part + i / part * part * 16;
  }

  __device__ __forceinline__ void write(S* to, int pitch) const {
#pragma unroll
    for (int i = 0; i < high; ++i) {
#pragma unroll
      for (int j = 0; j < wide; ++j) {
        to[place<Left>(row, i) * pitch + place<Right>(column, j)] = sum[i][j];
      }
    }
  }
};)"},
    {"padded", "", Lanes::any,
     R"(// `n` neighbours, of which the first `live` exist: `pack()` gives all, `one(at)` one.
template <class S, int n, class Int, class Pack, class One>
INLINE Several<S, n> padded(Int live, Pack pack, One one) {
  if (live >= n) return pack();
  Several<S, n> v = {};
#pragma unroll
  for (int i = 0; i < n; ++i) {
    if (i < live) v.lane[i] = one(i);
  }
  return v;
})"},
    {"dots", "", Lanes::any,
     R"(// The sums of `high` rows and, for each warp, `wide` columns that are contiguous along the
// depth: lanes read `n` neighbours at a time, `left(row, k)` and `right(column, k)`.
template <class S, int high, int wide, int n, class Int, class Left, class Right>
INLINE void dots(S* sums, int pitch, Int depth, Left left, Right right) {
  const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * wide;
  S sum[high][wide] = {};
#pragma unroll(high > 2 ? 1 : 2)
  for (Int k = lane * n; k < depth; k += 32 * n) {
    Several<S, n> w[wide];
#pragma unroll
    for (int j = 0; j < wide; ++j) w[j] = right(first + j, k);
#pragma unroll
    for (int i = 0; i < high; ++i) {
      const Several<S, n> x = left(i, k);
#pragma unroll
      for (int j = 0; j < wide * n; ++j) {
        sum[i][j / n] = multiply_add(sum[i][j / n], x.lane[j % n], w[j / n].lane[j % n]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < high * wide; ++i) {
    S v = sum[i / wide][i % wide];
    for (int offset = 16; offset > 0; offset /= 2) {
      v = plus(v, __shfl_xor_sync(~0u, v, offset));
    }
    if (lane == 0) sums[i / wide * pitch + first + i % wide] = v;
  }
})"},
    {"column_sums", "", Lanes::any,
     R"(// The sums of `high` rows and `across` times `n` adjacent columns. The depth is divided
// among threads, which read `left(row, k)` and the `n` neighbours `right(column, k)`. Behind `sums`
// there is room for the partial sums of each warp.
template <class S, int high, int n, int across, int threads, class Int, class Left, class Right>
INLINE void column_sums(S* sums, int pitch, Int depth, Left left, Right right) {
  const int group = threadIdx.x % across, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  S sum[high][n] = {};
#pragma unroll 4
  for (Int k = threadIdx.x / across; k < depth; k += threads / across) {
    const Several<S, n> w = right(group * n, k);
#pragma unroll
    for (int i = 0; i < high; ++i) {
      const S x = left(i, k);
#pragma unroll
      for (int j = 0; j < n; ++j) sum[i][j] = multiply_add(sum[i][j], x, w.lane[j]);
    }
  }
  S* const parts = sums + high * pitch;
#pragma unroll
  for (int i = 0; i < high * n; ++i) {
    S v = sum[i / n][i % n];
    for (int offset = 16; offset >= across; offset /= 2) {
      v = plus(v, __shfl_xor_sync(~0u, v, offset));
    }
    if (lane < across) parts[(warp * high + i / n) * pitch + group * n + i % n] = v;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < high * across * n; i += threads) {
    const int at = i / (across * n) * pitch + i % (across * n);
    S v = parts[at];
    for (int other = 1; other < threads / 32; ++other) {
      v = plus(v, parts[at + other * high * pitch]);
    }
    sums[at] = v;
  }
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
