// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/prelude/operands.hpp>

#include <set>

#include "cuda_emulated.hpp"
#include "cuda_product_kernels.hpp"
#include "nvrtc_check.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// The report of the emulator for a product in whose text `from` is replaced by `to`.
std::string report_of(const std::string& from, const std::string& to) {
  emulator::Emulator machine;
  emulator::use_device(0);
  const std::vector<std::int64_t> shape{1, 40, 40, 200};
  const ProductCase one{.dtype = f32, .sum = f32};
  const Kernel kernel = product_of("p", shape, KnownSizes::exactly, one);
  const Source source = codegen::emit_cuda(kernel, {});
  const emulator::Program program(replaced(cuda_program({source}), from, to));
  wrong_element(one, shape, {}, call_emulated(program, source, kernel));
  return first_report(machine);
}

}  // namespace

TEST_CASE("cuda_operands: NVRTC compiles every helper") {
  check_helpers(codegen::detail::cuda_operand_helpers);
}

TEST_CASE("cuda_operands: each task has one tile, and consecutive tasks share columns") {
  const emulator::Emulator machine;
  emulator::use_device(0);
  const emulator::Program program(with_helpers(R"(
extern "C" __global__ void f(int* out) {
  const Tile<16, 8, int> tile((int)blockIdx.x, 170, 20);
  out[3 * blockIdx.x] = tile.batch;
  out[3 * blockIdx.x + 1] = tile.row;
  out[3 * blockIdx.x + 2] = tile.column;
})"));
  const int count = 2 * 11 * 3;
  const emulator::Buffer<int> out(3 * count);
  REQUIRE(program.run("f", {.blocks = count, .threads = 1}, out) == 0);
  const std::vector<int> all = out.values();
  std::set<std::vector<int>> tiles;
  for (std::size_t i = 0; i < all.size(); i += 3) {
    tiles.insert({all[i], all[i + 1], all[i + 2]});
    CHECK((all[i] < 2 && all[i + 1] < 170 && all[i + 2] < 20));
    CHECK((all[i + 1] % 16 == 0 && all[i + 2] % 8 == 0));
  }
  CHECK(tiles.size() == count);
  for (std::size_t i = 0; i < 8; ++i) CHECK(all[3 * i + 2] == 0);
  CHECK(all[3 * 8 + 2] == 8);
}

TEST_CASE("cuda_operands: lines are copied from any address, and padded with zeros") {
  const emulator::Emulator machine;
  emulator::use_device(0);
  const emulator::Program program(with_helpers(R"(
extern "C" __global__ void f(float* out, const float* in, int first, int stride) {
  __shared__ Operand<float, 4, 8, true> part;
  part.copy<32, int>(in + first, stride, 3, 7);
  end_copies();
  wait_copies<0>();
  __syncthreads();
  out[threadIdx.x] = *part.at(threadIdx.x / 8, threadIdx.x % 8);
})"));
  std::vector<float> numbers;
  for (int i = 0; i < 64; ++i) numbers.push_back(static_cast<float>(i + 1));
  const emulator::Buffer<float> in(numbers), out(32);
  for (const int first : {0, 1, 4}) {
    for (const int stride : {8, 9, 12}) {
      REQUIRE(program.run("f", {.threads = 32}, out, in, first, stride) == 0);
      const std::vector<float> is = out.values();
      for (int i = 0; i < 32; ++i) {
        const bool inside = i / 8 < 3 && i % 8 < 7;
        const int expected = inside ? first + i / 8 * stride + i % 8 + 1 : 0;
        CHECK(is[static_cast<std::size_t>(i)] == static_cast<float>(expected));
      }
    }
  }
}

TEST_CASE("cuda_operands: a missing barrier, or a copy without a wait, is reported") {
  const std::string wait = "    wait_copies<buffers - 2>();\n", barrier = "    __syncthreads();\n";
  CHECK(contains(report_of(wait + barrier, wait), "uninitialised shared memory"));
  CHECK(contains(report_of(wait + barrier, barrier), "uninitialised shared memory"));
  CHECK(contains(report_of("own.write(sums, 40);\n    __syncthreads();", "own.write(sums, 40);"),
                 "race"));
}
