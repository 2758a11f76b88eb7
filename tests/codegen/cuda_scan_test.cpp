#include <doctest/doctest.h>
#include <sinter/codegen/cuda_scan.hpp>

#include "nvrtc_check.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("cuda_scan: NVRTC compiles every helper for every type") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  const std::string words = calls_of(codegen::detail::cuda_scan_helpers, {1}, false);
  const Source source{Language::cuda, "", words, {}};
  bool succeeded = false;
  const std::string log = nvrtc_log(codegen::cuda_prelude({&source, 1}), "sm_80", succeeded);

  CHECK_MESSAGE(succeeded, log.substr(0, 2000));
}
