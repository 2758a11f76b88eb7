#include <doctest/doctest.h>
#include <sinter/codegen/cuda_nest.hpp>

#include "texts.hpp"

using namespace kernels;

TEST_CASE("cuda_nest: the threads of a block share the loops of a row, and its reductions") {
  Sizes sizes({64, 1000}, false);
  const std::string text = cuda_text(softmax("softmax", sizes, f32));
  CHECK(contains(text, "for (int task = blockIdx.x; task < tasks; task += gridDim.x)"));
  CHECK(contains(text, "for (int k0 = threadIdx.x; k0 < 1000; k0 += blockDim.x)"));
  CHECK(contains(text, "= block_max_f32(a1);"));
  CHECK(contains(text, "float* const row2 = (float*)(shared + 0);"));
  CHECK(in_order(text, "row2[k1] = v4;", "__syncthreads();"));
  CHECK(in_order(text, "__syncthreads();", "= row2[k3];"));
}

TEST_CASE("cuda_nest: what a row gives is stored by one thread") {
  Sizes sizes({64, 1000}, false);
  const std::string text = cuda_text(reduction("r", sizes, Op::sum, f32, VectorAxis::stage));
  CHECK(in_order(text, "if (threadIdx.x == 0) {", "out1[i0] = v1;"));
}

TEST_CASE("cuda_nest: products that add up a few numbers take a thread for each tile") {
  Sizes sizes({64, 64, 4}, false);
  const std::string text = cuda_text(product("p", sizes, false, f32, 4, 2));
  CHECK(contains(text, "const int tasks = 512;"));
  CHECK(contains(text, "a3_3_1 = a3_3_1 + v2_3_1;"));
  CHECK_FALSE(contains(text, "__syncthreads"));
}

TEST_CASE("cuda_nest: indices have 32 bits where that is proven") {
  Sizes known({64, 64}, false), any({64, 64}, true);
  CHECK(contains(cuda_text(bias_relu("b", known, f32)), "for (int task"));
  CHECK(contains(cuda_text(bias_relu("b", any, f32)), "for (long task"));
}

TEST_CASE("cuda_nest: serial kernels run on one thread, in order") {
  Sizes sizes({4, 64, 8}, false);
  const std::string text = cuda_text(scatter("s", sizes));
  CHECK(contains(text, "if (blockIdx.x != 0 || threadIdx.x != 0) return;"));
  CHECK(contains(text, "for (int task = 0; task < tasks; ++task)"));
}

TEST_CASE("cuda_nest: what is left of inner tiles is run for each row that is left of outer ones") {
  Sizes odd({7, 7, 7}, false), whole({8, 8, 4}, false);
  const std::string text = cuda_text(product("p", odd, false, f32, 4, 2));
  CHECK(in_order(text, "const int first1 = ", "int i1 = first1;"));
  CHECK(in_order(text, "for (; i0 < 7; ++i0)", "for (i1 = first1; i1 < 7; ++i1)"));
  CHECK_FALSE(contains(cuda_text(product("p", whole, false, f32, 4, 2)), "first1"));
}
