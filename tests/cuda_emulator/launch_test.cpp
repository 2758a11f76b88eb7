#include "launch.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "emulator.hpp"
#include "program.hpp"

using namespace emulator;

TEST_CASE("launch: every thread of every block runs, with its place") {
  const Emulator machine;
  use_device(0);
  const Program program(R"(
extern "C" __global__ void places(unsigned* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1000 * gridDim.x + 100 * blockIdx.x + threadIdx.x;
})");
  Buffer<unsigned> out(10);
  CHECK(program.run("places", {3, 4}, out, 10) == 0);
  CHECK(out.values() ==
        std::vector<unsigned>{3000, 3001, 3002, 3003, 3100, 3101, 3102, 3103, 3200, 3201});
}

TEST_CASE("launch: an access one past the end is reported with its line, and ends the launch") {
  Emulator machine;
  use_device(0);
  const Program program(R"(
extern "C" __global__ void past(float* out, int n) {
  const int i = threadIdx.x;
  if (i <= n) out[i] = i;
})");
  Buffer<float> out(10);
  CHECK(program.run("past", {1, 32}, out, 10) == 700);
  const std::vector<std::string> reports = machine.reports();
  REQUIRE(reports.size() == 1);
  CHECK(reports[0] ==
        "out of bounds: past, kernels.cu:4 in past, block (0, 0, 0) thread (10, 0, 0): write of 4 "
        "bytes at "
        "byte 40 of allocation 1 (40 bytes on cuda:0), 0 bytes past its end");
}

TEST_CASE("launch: what all threads read where one writes is written behind a barrier") {
  Emulator machine;
  use_device(0);
  const Program program(R"(
extern "C" __global__ void count(const int* old, int* now, int* out, bool barrier) {
  const int v = old[0];
  if (barrier) __syncthreads();
  if (threadIdx.x == 0) now[0] = v + 1;
  out[threadIdx.x] = v;
})");
  Buffer<int> in(std::vector<int>{7}), apart(1), out(64);
  CHECK(program.run("count", {1, 64}, in, apart, out, false) == 0);
  CHECK(program.run("count", {1, 64}, in, in, out, true) == 0);
  CHECK(machine.reports().empty());
  CHECK(program.run("count", {1, 64}, in, in, out, false) == 0);
  CHECK(first_report(machine).rfind("race: count", 0) == 0);
  CHECK(program.run("count", {2, 1}, in, in, out, true) == 0);
  CHECK(contains(first_report(machine), "another block wrote it, and nothing orders the two"));
}

TEST_CASE("launch: elements of less than a word are places of their own") {
  Emulator machine;
  use_device(0);
  const Program program(R"(
extern "C" __global__ void add(const unsigned char* old, unsigned char* now, int distance) {
  now[threadIdx.x] = old[(threadIdx.x + distance) % 64] + 1;
})");
  Buffer<unsigned char> in(std::vector<unsigned char>(64, 1));
  CHECK(program.run("add", {1, 64}, in, in, 0) == 0);
  CHECK(machine.reports().empty());
  CHECK(program.run("add", {1, 64}, in, in, 1) == 0);
  CHECK(first_report(machine).rfind("race: add", 0) == 0);
}
