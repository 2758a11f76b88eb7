// test: emulator
// Kernels with one planted fault each, which the emulator must report, and the same without it.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "emulator.hpp"
#include "program.hpp"

using namespace emulator;

namespace {

const char* const kernels = R"(
// Each thread outputs the index of the opposite thread.
extern "C" __global__ void reverse(int* out, bool barrier) {
  __shared__ int row[64];
  row[threadIdx.x] = threadIdx.x;
  if (barrier) __syncthreads();
  out[threadIdx.x] = row[63 - threadIdx.x];
}
extern "C" __global__ void copy(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
extern "C" __global__ void copy_vectors(const float* in, float4* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = ((const float4*)in)[i];
}
extern "C" __global__ void sum_of_row(float* out, int written) {
  extern __shared__ float row[];
  if (threadIdx.x < written) row[threadIdx.x] = 1;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < blockDim.x; ++i) sum += row[i];
  out[threadIdx.x] = sum;
}
extern "C" __global__ void table_of_eight(int* out, int last) {
  __shared__ int table[8];
  for (int i = threadIdx.x; i <= last; i += blockDim.x) table[i] = i;
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = table[threadIdx.x];
}
extern "C" __global__ void some_wait(int* out, int threads) {
  if (threadIdx.x < threads) __syncthreads();
  out[threadIdx.x] = 1;
}
extern "C" __global__ void two_barriers(int* out, int first) {
  if (threadIdx.x < first) {
    __syncthreads();
    out[threadIdx.x] = 1;
  } else {
    __syncthreads();
    out[threadIdx.x] = 2;
  }
}
extern "C" __global__ void some_lanes(int* out, int lanes, int from) {
  const unsigned mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
  if (threadIdx.x < lanes) out[threadIdx.x] = __shfl_sync(mask, 100 + (int)threadIdx.x, from);
}
extern "C" __global__ void wrong_mask(int* out) {
  out[threadIdx.x] = __shfl_xor_sync(0x0000ffffu, (int)threadIdx.x, 1);
}
extern "C" __global__ void neighbour_in_warp(int* out, bool synchronized) {
  __shared__ int row[32];
  row[threadIdx.x] = threadIdx.x;
  if (synchronized) __syncwarp();
  out[threadIdx.x] = row[threadIdx.x ^ 1];
}
extern "C" __global__ void bytes(unsigned char* out, int step) {
  __shared__ unsigned char row[64];
  row[threadIdx.x / step] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x * step < 64) out[threadIdx.x] = row[threadIdx.x];
}
extern "C" __global__ void count(int* out, bool atomic) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  if (atomic) atomicAdd(&total, 1);
  else total = total + 1;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = total;
}
extern "C" __global__ void add(float* sums, bool atomic) {
  float* const to = sums + threadIdx.x % 2;
  if (atomic) atomicAdd(to, 1.0f);
  else *to = *to + 1.0f;
}
extern "C" __global__ void __launch_bounds__(64) bounded(int* out) { out[threadIdx.x] = 1; }
)";

struct Bench {
  explicit Bench(const Settings& settings = {}) : machine(settings) { use_device(0); }
  // The kind and text of the one report.
  std::string report() {
    const std::vector<std::string> all = machine.reports();
    return all.size() == 1
               ? all[0]
               : sinter::detail::text(all.size(), " reports ", sinter::detail::text(all));
  }
  Emulator machine;
};

bool reports(Bench& bench, const std::string& kind, const std::string& what) {
  const std::string report = bench.report();
  INFO(report);
  const bool right = report.rfind(kind + ": ", 0) == 0 && contains(report, what);
  CHECK(right);
  return right;
}

}  // namespace

TEST_CASE("planted: a barrier that is missing is a race") {
  Bench bench;
  const Program program(kernels);
  Buffer<int> out(64);
  CHECK(program.run("reverse", {1, 64}, out, true) == 0);
  CHECK(out.values()[3] == 60);
  CHECK(bench.machine.reports().empty());
  CHECK(program.run("reverse", {1, 64}, out, false) == 0);
  const std::vector<std::string> all = bench.machine.reports();
  REQUIRE(!all.empty());
  CHECK(contains(all.back(), "race: reverse, kernels.cu:7 in reverse"));
  CHECK(contains(all.back(), "of the variable"));
}

TEST_CASE("planted: a row read one past its end") {
  Bench bench;
  const Program program(kernels);
  Buffer<float> in(std::vector<float>(100, 1.0f)), out(101);
  CHECK(program.run("copy", {4, 32}, in, out, 100) == 0);
  CHECK(program.run("copy", {4, 32}, in, out, 101) == 700);
  reports(bench, "out of bounds", "read of 4 bytes at byte 400 of allocation 1 (400 bytes");
  CHECK(driver().synchronize() == 700);
}

TEST_CASE("planted: a vector that is not aligned") {
  Bench bench;
  const Program program(kernels);
  Buffer<float> in(std::vector<float>(64, 1.0f)), out(64);
  CHECK(program.run("copy_vectors", {1, 8}, in.address() + 16, out, 8) == 0);
  CHECK(program.run("copy_vectors", {1, 8}, in.address() + 4, out, 8) == 716);
  reports(bench, "misaligned access", "read of 16 bytes at byte 4 of allocation 1");
}

TEST_CASE("planted: shared memory that was not written in this block") {
  Bench bench;
  const Program program(kernels);
  Buffer<float> out(32);
  CHECK(program.run("sum_of_row", {2, 32, 128}, out, 32) == 0);
  CHECK(bench.machine.reports().empty());
  CHECK(program.run("sum_of_row", {1, 32, 128}, out, 31) == 0);
  reports(bench, "uninitialised shared memory", "at byte 124 of dynamic shared memory");
}

TEST_CASE("planted: dynamic shared memory that is too short, or longer than is allowed") {
  Bench bench;
  const Program program(kernels);
  Buffer<float> out(32);
  CHECK(program.start("sum_of_row", {1, 32, 48 * 1024 + 4}, out, 32) == 1);
  reports(bench, "refused launch", "49156 bytes of shared memory, where 49152 are allowed");
  CHECK(program.run("sum_of_row", {1, 32, 124}, out, 32) == 700);
  reports(bench, "out of bounds", "write of 4 bytes at byte 124 of dynamic shared memory (124");
}

TEST_CASE("planted: a shared variable written one past its end") {
  Bench bench;
  const Program program(kernels);
  Buffer<int> out(8);
  CHECK(program.run("table_of_eight", {1, 4}, out, 7) == 0);
  CHECK(program.run("table_of_eight", {1, 4}, out, 8) == 700);
  reports(bench, "out of bounds", "byte 32 of the variable");
}

TEST_CASE("planted: memory that was freed") {
  Bench bench;
  const Program program(kernels);
  Buffer<float> in(std::vector<float>(8, 1.0f)), out(8);
  const std::uint64_t stale = in.address();
  in.free();
  CHECK(program.run("copy", {1, 8}, stale, out, 8) == 700);
  reports(bench, "use after free", "read of 4 bytes at byte 0 of allocation 1");
}

TEST_CASE("planted: memory that was never written") {
  Bench bench;
  const Program program(kernels);
  Buffer<float> in(8), out(8);
  CHECK(program.run("copy", {1, 8}, in, out, 8) == 0);
  reports(bench, "read of unwritten memory", "in copy, block (0, 0, 0) thread (0, 0, 0)");
}

TEST_CASE("planted: a barrier that not all threads of the block reach") {
  Bench bench;
  const Program program(kernels);
  Buffer<int> out(64);
  CHECK(program.run("some_wait", {1, 64}, out, 64) == 0);
  CHECK(bench.machine.reports().empty());
  CHECK(program.run("some_wait", {1, 64}, out, 40) == 0);
  reports(bench, "divergent barrier", "24 threads of the block have ended");
}

TEST_CASE("planted: threads that wait in two barriers") {
  Bench bench;
  const Program program(kernels);
  Buffer<int> out(64);
  CHECK(program.run("two_barriers", {1, 64}, out, 64) == 0);
  CHECK(bench.machine.reports().empty());
  CHECK(program.run("two_barriers", {1, 64}, out, 7) == 0);
  reports(bench, "divergent barrier", "waits in another one");
}

TEST_CASE("planted: a shuffle from a lane that takes no part") {
  Bench bench;
  const Program program(kernels);
  Buffer<int> out(32);
  CHECK(program.run("some_lanes", {1, 32}, out, 8, 7) == 0);
  CHECK(bench.machine.reports().empty());
  CHECK(program.run("some_lanes", {1, 32}, out, 8, 8) == 0);
  reports(bench, "shuffle from an inactive lane", "reads lane 8, which takes no part");
}

TEST_CASE("planted: a mask that leaves the caller out") {
  Bench bench;
  const Program program(kernels);
  Buffer<int> out(32);
  CHECK(program.run("wrong_mask", {1, 32}, out) == 719);
  reports(bench, "wrong mask", "lane 16 calls a shuffle with a mask that leaves it out");
}

TEST_CASE("planted: lanes of a warp that rely on running together") {
  Bench bench;
  const Program program(kernels);
  Buffer<int> out(32);
  CHECK(program.run("neighbour_in_warp", {1, 32}, out, true) == 0);
  CHECK(bench.machine.reports().empty());
  CHECK(program.run("neighbour_in_warp", {1, 32}, out, false) == 0);
  CHECK(!bench.machine.reports().empty());
}

TEST_CASE("planted: two warps that write the same byte; bytes of one word may be written") {
  Bench bench;
  const Program program(kernels);
  Buffer<unsigned char> out(64);
  CHECK(program.run("bytes", {1, 64}, out, 1) == 0);
  CHECK(bench.machine.reports().empty());
  CHECK(program.run("bytes", {1, 64}, out, 2) == 0);
  reports(bench, "race", "thread 0 wrote it, and nothing orders the two");
}

TEST_CASE("planted: a sum in shared memory without atomics") {
  Bench bench;
  const Program program(kernels);
  Buffer<int> out(1);
  CHECK(program.run("count", {1, 64}, out, true) == 0);
  CHECK(out.values()[0] == 64);
  CHECK(bench.machine.reports().empty());
  CHECK(program.run("count", {1, 64}, out, false) == 0);
  CHECK(!bench.machine.reports().empty());
}

TEST_CASE("planted: sums in the memory of the GPU without atomics, where that is looked for") {
  Bench bench({.all_races = true});
  const Program program(kernels);
  Buffer<float> sums(std::vector<float>(2, 0.0f));
  CHECK(program.run("add", {3, 64}, sums, true) == 0);
  CHECK(sums.values()[1] == 96);
  CHECK(bench.machine.reports().empty());
  CHECK(program.run("add", {1, 64}, sums, false) == 0);
  const std::vector<std::string> all = bench.machine.reports();
  REQUIRE(!all.empty());
  CHECK(contains(all.front(), "race: add, "));
}

TEST_CASE("planted: more threads than the kernel was compiled for") {
  Bench bench;
  const Program program(kernels);
  Buffer<int> out(65);
  CHECK(program.run("bounded", {1, 64}, out) == 0);
  CHECK(program.start("bounded", {1, 65}, out) == 1);
  reports(bench, "refused launch", "blocks of 65 threads, where 64 are allowed");
}

TEST_CASE("planted: memory of another GPU") {
  Bench bench;
  const Program program(kernels);
  use_device(1);
  Buffer<float> in(std::vector<float>(8, 1.0f));
  use_device(0);
  Buffer<float> out(8);
  CHECK(program.run("copy", {1, 8}, in, out, 8) == 700);
  reports(bench, "illegal address", "of allocation 1 (32 bytes on cuda:1)");
}
