// test: emulator
// Warp operations, compared with the definitions of the CUDA C++ Programming Guide.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "emulator.hpp"
#include "program.hpp"

using namespace emulator;

namespace {

const char* const kernels = R"(
extern "C" __global__ void shuffles(int* out, int by, int width) {
  const int i = threadIdx.x, v = 100 + i;
  out[i] = __shfl_sync(~0u, v, by, width);
  out[64 + i] = __shfl_up_sync(~0u, v, by, width);
  out[128 + i] = __shfl_down_sync(~0u, v, by, width);
  out[192 + i] = __shfl_xor_sync(~0u, v, by, width);
}
extern "C" __global__ void types(double* a, long long* b, float* c) {
  a[threadIdx.x] = __shfl_xor_sync(~0u, threadIdx.x + 0.25, 1);
  b[threadIdx.x] = __shfl_xor_sync(~0u, (1ll << 40) + threadIdx.x, 1);
  c[threadIdx.x] = __shfl_xor_sync(~0u, threadIdx.x + 0.5f, 1);
}
extern "C" __global__ void votes(unsigned* out) {
  const unsigned i = threadIdx.x;
  out[i] = __ballot_sync(~0u, i % 3 == 0);
  out[32 + i] = __any_sync(~0u, i == 31);
  out[64 + i] = __all_sync(~0u, i != 31);
  out[96 + i] = __match_any_sync(~0u, i / 8);
  int same = 0;
  out[128 + i] = __match_all_sync(~0u, 7, &same) + same;
}
extern "C" __global__ void halves(int* out) {
  const unsigned i = threadIdx.x, mask = i < 16 ? 0xffffu : 0xffff0000u;
  int sum = i;
  for (int by = 8; by > 0; by /= 2) sum += __shfl_xor_sync(mask, sum, by);
  out[i] = sum;
}
extern "C" __global__ void counts(int* out) {
  const int i = threadIdx.x;
  out[i] = __syncthreads_count(i % 4 == 0);
  out[64 + i] = __syncthreads_and(i < 63);
  out[128 + i] = __syncthreads_or(i == 63);
}
extern "C" __global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f,
                                   double* d) {
  atomicAdd(i, 1);
  atomicMax(i + 1, (int)threadIdx.x);
  atomicMin(i + 2, -(int)threadIdx.x);
  atomicExch(i + 3, 9);
  atomicCAS(i + 4, (int)threadIdx.x, (int)threadIdx.x + 1);
  atomicAdd(i + 5, 0x7fffffff);
  atomicInc(u, 9);
  atomicOr(u + 1, 1u << threadIdx.x % 32);
  atomicAdd(l, 1ull << 33);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
}
)";

int lane_read(const std::string& kind, int lane, int by, int width) {
  const int first = lane / width * width, last = first + width - 1;
  if (kind == "index") return first + by % width;
  const int from = kind == "up" ? lane - by : kind == "down" ? lane + by : lane ^ by;
  if (kind == "xor") return from > last ? lane : from;
  return from < first || from > last ? lane : from;
}

}  // namespace

TEST_CASE("warp: shuffles of every kind, distance and width") {
  const Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<int> out(256);
  for (const int width : {32, 16, 4, 1}) {
    for (const int by : {0, 1, 3, 5, 16, 31}) {
      CHECK(program.run("shuffles", {1, 64}, out, by, width) == 0);
      const std::vector<int> values = out.values();
      std::size_t at = 0;
      for (const char* const kind : {"index", "up", "down", "xor"}) {
        for (int i = 0; i < 64; ++i, ++at) {
          INFO(kind, " of lane ", i, " by ", by, " in ", width);
          CHECK(values[at] == 100 + i / 32 * 32 + lane_read(kind, i % 32, by, width));
        }
      }
    }
  }
}

TEST_CASE("warp: shuffles of numbers with 8 bytes") {
  const Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<double> a(32);
  Buffer<long long> b(32);
  Buffer<float> c(32);
  CHECK(program.run("types", {1, 32}, a, b, c) == 0);
  CHECK(a.values()[6] == 7.25);
  CHECK(b.values()[6] == (1ll << 40) + 7);
  CHECK(c.values()[6] == 7.5f);
}

TEST_CASE("warp: votes") {
  const Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<unsigned> out(160);
  CHECK(program.run("votes", {1, 32}, out) == 0);
  const std::vector<unsigned> values = out.values();
  CHECK(values[5] == 0x49249249);
  CHECK(values[32 + 5] == 1);
  CHECK(values[64 + 5] == 0);
  CHECK(values[96 + 9] == 0xff00);
  CHECK(values[128 + 5] == 0);  // all lanes, and 1 more
}

TEST_CASE("warp: parts of a warp meet by themselves") {
  const Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<int> out(32);
  CHECK(program.run("halves", {1, 32}, out) == 0);
  CHECK(out.values()[3] == 120);
  CHECK(out.values()[30] == 376);
}

TEST_CASE("warp: barriers that count") {
  const Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<int> out(192);
  CHECK(program.run("counts", {1, 64}, out) == 0);
  const std::vector<int> values = out.values();
  CHECK(values[10] == 16);
  CHECK(values[64 + 10] == 0);
  CHECK(values[128 + 10] == 1);
}

TEST_CASE("warp: atomic operations of all threads") {
  const Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<int> i(std::vector<int>(6, 0));
  Buffer<unsigned> u(std::vector<unsigned>(2, 0));
  Buffer<unsigned long long> l(std::vector<unsigned long long>{1});
  Buffer<float> f(std::vector<float>{1});
  Buffer<double> d(std::vector<double>{1});
  CHECK(program.run("atomics", {2, 64}, i, u, l, f, d) == 0);
  CHECK(i.values() == std::vector<int>{128, 63, -63, 9, 64, -128});
  CHECK(u.values() == std::vector<unsigned>{8, ~0u});
  CHECK(l.values()[0] == 1 + (128ull << 33));
  CHECK(f.values()[0] == 65);
  CHECK(d.values()[0] == 33);
}
