#include <doctest/doctest.h>
#include <sinter/codegen/cuda_sort.hpp>

#include "nvrtc_check.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("cuda_sort: NVRTC compiles every helper for every type") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  const std::string words = calls_of(codegen::detail::cuda_sort_helpers, {1}, false);
  const Source source{Language::cuda, "", words, {}};
  bool succeeded = false;
  const std::string log = nvrtc_log(codegen::cuda_prelude({&source, 1}), "sm_80", succeeded);

  CHECK_MESSAGE(succeeded, log.substr(0, 2000));
}

TEST_CASE("cuda_sort: a block sorts a row, with as many threads as have something to do") {
  const auto threads = [](std::int64_t columns) {
    Sizes sizes({5, columns}, false);
    return codegen::cuda_launch(sorted_rows("sorted", sizes, f32, false));
  };
  CHECK(threads(3).threads == 32);
  CHECK(threads(1000).threads == 256);
  CHECK(threads(1 << 20).threads == 1024);
  CHECK(same(threads(1000).blocks, Extent(5)));
}
