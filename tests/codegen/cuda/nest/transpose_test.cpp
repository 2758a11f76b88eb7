// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/nest/transpose.hpp>

#include "cuda_emulated.hpp"
#include "runner.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

Kernel transposed_of(std::int64_t rows, std::int64_t columns) {
  Sizes sizes({rows, columns}, false);
  return transposed(text("transposed_", rows, "_", columns), sizes);
}

}  // namespace

TEST_CASE("cuda_transpose: transposed reads go through a tile in shared memory") {
  const Kernel kernel = transposed_of(128, 256);
  const std::string text = cuda_text(kernel);
  CHECK(contains(text, "[32][33];"));
  CHECK(count(text, "__syncthreads();") == 2);
  CHECK(in_order(text, "[row][x] = in0[", "[x][row];"));
  CHECK_FALSE(contains(text, "if (i0 <"));
  CHECK(codegen::cuda_launch(kernel).threads == 256);
  CHECK(same(codegen::cuda_launch(kernel).blocks, 32));
}

TEST_CASE("cuda_transpose: bounds are checked only if tiles may be partial") {
  CHECK(count(cuda_text(transposed_of(100, 256)), " < 100) {") == 2);
  CHECK_FALSE(contains(cuda_text(transposed_of(100, 5)), "tile"));
}

TEST_CASE("cuda_transpose: every size computes the reference result") {
  Sizes any({64, 64}, true);
  Vector<Kernel> all{transposed("any", any)};
  for (const std::int64_t rows : {8, 31, 64, 77}) {
    for (const std::int64_t columns : {9, 32, 33, 130}) all.push_back(transposed_of(rows, columns));
  }
  check_emulated(all, 1e-6, {{1, 1}, {3, 70}, {33, 31}, {0, 5}, {5, 0}});
}
