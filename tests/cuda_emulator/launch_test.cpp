// test: emulator
#include "launch.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "emulator.hpp"
#include "program.hpp"

using namespace emulator;

namespace {

// The words that a kernel is given, and the kernel that adds them up.
template <int count>
struct Words {
  int values[count]{1, 2, 3};
};

// Adds up the words of its argument, which is padded with zeros to the length under test.
const char* const totals = R"(
template <int count>
struct Words {
  int values[count];
};
template <int count>
__device__ void add_up(const Words<count>& words, int* out) {
  int total = 0;
  for (int i = 0; i < count; ++i) total += words.values[i];
  *out = total;
}
extern "C" __global__ void of_1022(int* out, const __grid_constant__ Words<1022> words) {
  add_up(words, out);
}
extern "C" __global__ void of_1023(int* out, const __grid_constant__ Words<1023> words) {
  add_up(words, out);
}
extern "C" __global__ void of_8189(int* out, const __grid_constant__ Words<8189> words) {
  add_up(words, out);
}
extern "C" __global__ void of_8190(int* out, const __grid_constant__ Words<8190> words) {
  add_up(words, out);
}
)";

}  // namespace

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

TEST_CASE("launch: more bytes of arguments than the driver takes are refused") {
  Emulator machine;
  use_device(0);
  const Program program(totals);
  Buffer<int> out(1);
  CHECK(program.run("of_8189", {}, out, Words<8189>()) == 0);
  CHECK(out.values()[0] == 6);
  CHECK(machine.reports().empty());
  CHECK(program.run("of_8190", {}, out, Words<8190>()) == 1);
  CHECK(first_report(machine) ==
        "refused launch: of_8190: 32768 bytes of arguments, where 32764 are allowed");
  machine.set_driver_version(12000);
  CHECK(program.run("of_1022", {}, out, Words<1022>()) == 0);
  CHECK(machine.reports().empty());
  CHECK(program.run("of_1023", {}, out, Words<1023>()) == 1);
  CHECK(first_report(machine) ==
        "refused launch: of_1023: 4100 bytes of arguments, where 4096 are allowed");
}

TEST_CASE("launch: a node of a graph has no more arguments, nor what takes its place") {
  Emulator machine;
  use_device(0);
  const Program program(totals);
  Buffer<int> out(1);
  std::uint64_t address = out.address();
  Words<8189> words;
  void* pointers[]{&address, &words};
  sinter::detail::CudaKernelNode few{.function = program.function("of_1022"),
                                     .arguments = pointers};
  const sinter::detail::CudaKernelNode many{.function = program.function("of_8189"),
                                            .arguments = pointers};
  TestGraph graph;
  void *node = nullptr, *other = nullptr;
  CHECK(driver().add_kernel_node(&other, graph.handle, nullptr, 0, &many) == 0);
  machine.set_driver_version(12000);
  CHECK(driver().add_kernel_node(&node, graph.handle, nullptr, 0, &many) == 1);
  CHECK(contains(first_report(machine), "of_8189: 32764 bytes of arguments"));
  CHECK(driver().add_kernel_node(&node, graph.handle, nullptr, 0, &few) == 0);
  graph.instantiate();
  CHECK(driver().set_kernel_node(graph.executable, node, &many) == 1);
  CHECK(contains(first_report(machine), "of_8189: 32764 bytes of arguments"));
  words.values[0] = 5;
  CHECK(driver().set_kernel_node(graph.executable, node, &few) == 0);
}
