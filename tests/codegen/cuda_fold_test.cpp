#include <doctest/doctest.h>
#include <sinter/codegen/cuda_fold.hpp>

#include "nvrtc_check.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("cuda_fold: NVRTC compiles every helper for every type") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  const std::string words = calls_of(codegen::detail::cuda_fold_helpers, {1}, false);
  const Source source{Language::cuda, "", words, {}};
  bool succeeded = false;
  const std::string log = nvrtc_log(codegen::cuda_prelude({&source, 1}), "sm_80", succeeded);
  CHECK_MESSAGE(succeeded, log.substr(0, 2000));
}

TEST_CASE("cuda_fold: a block combines by shuffles, and once by shared memory") {
  const Source source{Language::cuda, "", "block_sum_f32", {}};
  const std::string text = codegen::cuda_prelude({&source, 1});
  CHECK(count(text, "__syncthreads();") == 1);
  CHECK(count(text, "__shfl_xor_sync(") == 1);
  CHECK(in_order(text, "row_fold<32>(v, fold)", "block_fold(v, parts, fold_sum_f32())"));
}
