#define INLINE static __device__ __forceinline__
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000)
#define __builtin_inff() __int_as_float(0x7f800000)
#define __builtin_nan(text) __longlong_as_double(0x7ff8000000000000)
#define __builtin_nanf(text) __int_as_float(0x7fc00000)

// Neighbours that are read and written up to 16 bytes at a time.
template <class T, int n>
struct __align__(n * sizeof(T) < 16 ? n * sizeof(T) : 16) Several {
  T lane[n];
};
struct __align__(16) f32x4 {
  float lane[4];
};
INLINE f32x4 load_f32x4(const float* p) {
  if ((unsigned long)p % sizeof(f32x4) == 0) return *(const f32x4*)p;
  f32x4 v;
  for (int i = 0; i < 4; ++i) v.lane[i] = p[i];
  return v;
}
INLINE float tanh_f32(float v) { return tanhf(v); }
template <class... Values>
INLINE void store_f32x4(float* p, Values... values) {
  const f32x4 v = {{(float)values...}};
  if ((unsigned long)p % sizeof(f32x4) == 0) {
    *(f32x4*)p = v;
  } else {
    for (int i = 0; i < 4; ++i) p[i] = v.lane[i];
  }
}
// What a kernel reports: 1 + the number of the check that failed, what was found, the bound
// of indices, the position of the element; a lock.
struct Context {
  long fault, value, bound, position, lock;
};
INLINE unsigned shared_address(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}
// Begins to copy 16 bytes to shared memory; behind the first `bytes` of them come zeros.
INLINE void copy_16(void* to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :: "r"(shared_address(to)), "l"(from), "r"(bytes) : "memory");
}
// A part of an operand in shared memory: `count` rows of the left one, or columns of the
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
};
// Of four steps of the depth, the `n` rows or columns that belong to one of 16 threads.
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
}
// sum + a * b, where whole numbers wrap.
INLINE float multiply_add(float sum, float a, float b) { return sum + a * b; }
INLINE double multiply_add(double sum, double a, double b) { return sum + a * b; }
INLINE int multiply_add(int sum, int a, int b) {
  return (int)((unsigned)sum + (unsigned)a * (unsigned)b);
}
INLINE long multiply_add(long sum, long a, long b) {
  return (long)((unsigned long)sum + (unsigned long)a * (unsigned long)b);
}
// The sums of a tile in the registers of 16 x 16 threads.
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
};
// Which of the results a task computes: `high` rows by `wide` columns. Bands of 8 tiles are
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
};
// Waits for the copies of this thread but for the last `groups` groups.
template <int groups>
INLINE void wait_copies() { asm volatile("cp.async.wait_group %0;" :: "n"(groups) : "memory"); }
// Ends a group of copies.
INLINE void end_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// `fetch(buffer, step)` brings operands to one of several buffers. `multiply(buffer)`
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
}
INLINE void product_93a4b203_finish_4(const float* in2, float* out3, int row, int column,
    Several<float, 4> sum) {
  float* const p4 = out3 + (128*row);
  const float v0_0 = (float)sum.lane[0];                        // sum
  const float v0_1 = (float)sum.lane[1];                        // sum
  const float v0_2 = (float)sum.lane[2];                        // sum
  const float v0_3 = (float)sum.lane[3];                        // sum
  const f32x4 w1 = load_f32x4(in2 + column);
  const float v1_0 = w1.lane[0];                                // input
  const float v1_1 = w1.lane[1];                                // input
  const float v1_2 = w1.lane[2];                                // input
  const float v1_3 = w1.lane[3];                                // input
  const float v2_0 = v0_0 + v1_0;                               // add
  const float v2_1 = v0_1 + v1_1;                               // add
  const float v2_2 = v0_2 + v1_2;                               // add
  const float v2_3 = v0_3 + v1_3;                               // add
  const float v3_0 = tanh_f32(v2_0);                            // tanh
  const float v3_1 = tanh_f32(v2_1);                            // tanh
  const float v3_2 = tanh_f32(v2_2);                            // tanh
  const float v3_3 = tanh_f32(v2_3);                            // tanh
  store_f32x4(p4 + column, v3_0, v3_1, v3_2, v3_3);
}
extern "C" __global__ void __launch_bounds__(256, 1) product_93a4b203(const float* in0,
    const float* in1, const float* in2, float* out3, Context* context) {
  // Tiles of 32 x 32 sums in registers, 16 steps of the depth at a time.
  using Left = Operand<float, 32, 16, true>;
  using Right = Operand<float, 32, 16, false>;
  using Sums = RegisterSums<float, Left, Right>;
  extern __shared__ __align__(16) unsigned char shared[];
  Left* const left = (Left*)shared;
  Right* const right = (Right*)(left + 4);
  float* const sums = (float*)shared;
  const int rows = 64, columns = 128, depth = 64;
  const int tasks = 8;
  for (int task = blockIdx.x; task < tasks; task += gridDim.x) {
    const Tile<32, 32, int> tile(task, rows, columns);
    Sums own;                                                   // sum
    const auto fetch = [&](int buffer, int step) {
      const int k = step * 16;
      left[buffer].copy<Sums::threads, int>(in0 + tile.row * 64 + k, 64, rows - tile.row,
          depth - k);
      right[buffer].copy<Sums::threads, int>(in1 + k * 128 + tile.column, 128, depth - k,
          columns - tile.column);
    };
    const auto multiply = [&](int buffer) { own.add(left[buffer], right[buffer]); };
    in_turns<4>((depth + 15) / 16, fetch, multiply);
    own.write(sums, 40);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 256) {
      const int row = tile.row + i / 8, column = tile.column + i % 8 * 4;
      if (row >= rows || column >= columns) continue;
      const float* const sum = sums + i / 8 * 40 + i % 8 * 4;
      const Several<float, 4> all = *(const Several<float, 4>*)sum;
      product_93a4b203_finish_4(in2, out3, row, column, all);
    }
    __syncthreads();
  }
}
