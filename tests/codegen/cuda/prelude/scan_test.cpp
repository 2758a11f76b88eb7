// test: deep
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/prelude/scan.hpp>

#include "nvrtc_check.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("cuda_scan: NVRTC compiles every helper for every type") {
  check_helpers(codegen::detail::cuda_scan_helpers);
}
