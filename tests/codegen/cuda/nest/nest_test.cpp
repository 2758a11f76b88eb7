// test: deep
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/nest/nest.hpp>

#include "texts.hpp"

using namespace kernels;

TEST_CASE("cuda_nest: the threads of a block share the loops of a row, and its reductions") {
  Sizes sizes({64, 1000}, false);
  const std::string text = cuda_text(softmax("softmax", sizes, f32));
  CHECK(contains(text, "for (int task = blockIdx.x; task < tasks; task += gridDim.x)"));
  CHECK(contains(text, "if (first + step * 512 >= 1000) break;"));
  CHECK(contains(text, "= block_max_f32(a1, parts1);"));
  Sizes any({64, 1000}, true);
  const std::string loops = cuda_text(softmax("softmax", any, f32));
  CHECK(contains(loops, "float* const row2 = (float*)(shared + 0);"));
  CHECK(in_order(loops, "store_row_f32x4<1024>(row2, ", "__syncthreads();"));
  CHECK(in_order(loops, "__syncthreads();", ", row2, first, n1);"));
}

TEST_CASE("cuda_nest: products of small depth take a thread for each tile") {
  Sizes sizes({64, 64, 4}, false);
  const std::string text = cuda_text(product("p", sizes, false, f32, 4, 2));
  CHECK(contains(text, "const int tasks = 512;"));
  CHECK(contains(text, "a3_3_1 = a3_3_1 + v2_3_1;"));
  CHECK_FALSE(contains(text, "__syncthreads"));
}

TEST_CASE("cuda_nest: indices have 32 bits if that is proven to be enough") {
  Sizes known({64, 64}, false), any({64, 64}, true);
  CHECK(contains(cuda_text(bias_relu("b", known, f32)), "for (int task"));
  CHECK(contains(cuda_text(bias_relu("b", any, f32)), "for (long task"));
}

TEST_CASE("cuda_nest: blocks without idle threads do not count as points of the grid") {
  Sizes many({1 << 23}, false);
  CHECK(contains(cuda_text(binary("a", many, Op::add, f32)), "for (int task"));
}

TEST_CASE("cuda_nest: serial kernels run on one thread, in order") {
  Sizes sizes({4, 64, 8}, false);
  const std::string text = cuda_text(scatter("s", sizes));
  CHECK(contains(text, "if (blockIdx.x != 0 || threadIdx.x != 0) return;"));
  CHECK(contains(text, "for (int task = 0; task < tasks; ++task)"));
}

TEST_CASE("cuda_nest: remainder loops of inner tiles restart in those of outer tiles") {
  Sizes odd({7, 7, 7}, false), whole({8, 8, 4}, false);
  const std::string text = cuda_text(product("p", odd, false, f32, 4, 2));
  CHECK(in_order(text, "const int first1 = ", "int i1 = first1;"));
  CHECK(in_order(text, "for (; i0 < 7; ++i0)", "for (i1 = first1; i1 < 7; ++i1)"));
  CHECK_FALSE(contains(cuda_text(product("p", whole, false, f32, 4, 2)), "first1"));
}
