// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/prelude/mma.hpp>

#include "cuda_emulated.hpp"
#include "nvrtc_check.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("cuda_mma: NVRTC compiles every helper for every type") {
  check_helpers(codegen::detail::cuda_mma_helpers);
}

TEST_CASE("cuda_mma: a lane gets two neighbours of a row, or of a column if transposed") {
  const emulator::Emulator machine;
  emulator::use_device(0);
  const emulator::Program program(with_helpers(R"(
extern "C" __global__ void f(unsigned* out) {
  __shared__ __align__(16) unsigned short rows[32][8];
  for (int i = 0; i < 8; ++i) rows[threadIdx.x][i] = threadIdx.x * 8 + i;
  __syncthreads();
  unsigned as_it_is[4], transposed[4];
  load_matrices(as_it_is, rows[threadIdx.x]);
  load_turned_matrices(transposed, rows[threadIdx.x]);
  for (int i = 0; i < 4; ++i) {
    out[8 * threadIdx.x + i] = as_it_is[i];
    out[8 * threadIdx.x + 4 + i] = transposed[i];
  }
})"));
  const emulator::Buffer<unsigned> out(256);
  REQUIRE(program.run("f", {.threads = 32}, out) == 0);
  const std::vector<unsigned> words = out.values();
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned group = lane / 4, first = lane % 4 * 2;
    for (unsigned matrix = 0; matrix < 4; ++matrix) {
      const auto number = [&](unsigned row, unsigned column) {
        return 64 * matrix + 8 * row + column;
      };
      const unsigned row = number(group, first) | number(group, first + 1) << 16;
      const unsigned column = number(first, group) | number(first + 1, group) << 16;
      CHECK(words[8 * lane + matrix] == row);
      CHECK(words[8 * lane + 4 + matrix] == column);
    }
  }
}

TEST_CASE("cuda_mma: copies of fewer than 16 bytes are padded with zeros, and read no further") {
  const emulator::Emulator machine;
  emulator::use_device(0);
  const emulator::Program program(with_helpers(R"(
extern "C" __global__ void f(unsigned short* out, const unsigned short* in) {
  __shared__ __align__(16) unsigned short all[8];
  copy_16(all, in, 6);
  end_copies();
  wait_copies<0>();
  for (int i = 0; i < 8; ++i) out[i] = all[i];
})"));
  const emulator::Buffer<unsigned short> in({1, 2, 3}), out(8);
  REQUIRE(program.run("f", {.threads = 1}, out, in) == 0);
  CHECK(out.values() == std::vector<unsigned short>{1, 2, 3, 0, 0, 0, 0, 0});
}
