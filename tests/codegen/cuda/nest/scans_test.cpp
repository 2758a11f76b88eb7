// test: deep
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/nest/scans.hpp>

#include "texts.hpp"

using namespace kernels;

namespace {

Kernel cumsum(std::int64_t rows, std::int64_t columns, VectorAxis axis) {
  Sizes sizes({rows, columns}, false);
  return cumulate("cumsum", sizes, Op::cumsum, f32, axis);
}

}  // namespace

TEST_CASE("cuda_scans: the threads of a block share a row, and all run every iteration") {
  const Kernel kernel = cumsum(5, 3000, VectorAxis::none);
  const std::string text = cuda_text(kernel);
  CHECK(contains(text, "chunk < 3000; chunk += blockDim.x)"));
  CHECK(in_order(text, "const bool live = chunk + threadIdx.x < 3000;",
                 "live ? chunk + threadIdx.x : 3000 - 1;"));
  CHECK(contains(text, "block_cumsum_f64(live ? "));
  CHECK(in_order(text, "if (live) {", "] = v"));
  CHECK(codegen::cuda_launch(kernel).threads == 1024);
  CHECK(same(codegen::cuda_launch(kernel).blocks, Extent(5)));
}

TEST_CASE("cuda_scans: many columns get a thread each, few are shared") {
  CHECK(!contains(cuda_text(cumsum(100, 5000, VectorAxis::grid)), "block_cumsum"));
  CHECK(contains(cuda_text(cumsum(100, 50, VectorAxis::grid)), "block_cumsum"));
}

TEST_CASE("cuda_scans: strict sums keep the order of the elements, in one thread of the block") {
  const Kernel kernel = cumsum(5, 3000, VectorAxis::none);
  const std::string text = codegen::emit_cuda(kernel, {.strict = true}).text;
  CHECK(contains(text, "if (threadIdx.x == 0) for ("));
  CHECK(!contains(text, "block_cumsum"));
  CHECK(contains(text, "__launch_bounds__(1024, 1)"));
}
