// test: deep
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/prelude/reduction.hpp>

#include "nvrtc_check.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("cuda_reduction: NVRTC compiles every helper for every type") {
  check_helpers(codegen::detail::cuda_reduction_helpers);
}

TEST_CASE("cuda_reduction: a block reduces by shuffles, then once through shared memory") {
  const Source source{Language::cuda, "", "block_sum_f32", {}};
  const std::string text = codegen::cuda_prelude({&source, 1});
  CHECK(count(text, "__syncthreads();") == 1);
  CHECK(count(text, "__shfl_xor_sync(") == 1);
  CHECK(in_order(text, "row_fold<32>(v, fold)", "block_fold(v, parts, fold_sum_f32())"));
}
