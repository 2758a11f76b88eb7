// test: deep
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/prelude/sort.hpp>

#include "nvrtc_check.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("cuda_sort: NVRTC compiles every helper for every type") {
  check_helpers(codegen::detail::cuda_sort_helpers);
}

TEST_CASE("cuda_sort: a block sorts a row, and its size grows with the row") {
  const auto threads = [](std::int64_t columns) {
    Sizes sizes({5, columns}, false);
    return codegen::cuda_launch(sorted_rows("sorted", sizes, f32, false));
  };
  CHECK(threads(3).threads == 32);
  CHECK(threads(1000).threads == 256);
  CHECK(threads(1 << 20).threads == 1024);
  CHECK(same(threads(1000).blocks, Extent(5)));
}
