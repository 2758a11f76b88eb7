#include <doctest/doctest.h>
#include <sinter/codegen/cuda_memory.hpp>

#include "nvrtc_check.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("cuda_memory: NVRTC compiles every helper for every type") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  const std::string words = calls_of(codegen::detail::cuda_memory_helpers, {1, 2, 4}, false);
  const Source source{Language::cuda, "", words, {}};
  bool succeeded = false;
  const std::string log = nvrtc_log(codegen::cuda_prelude({&source, 1}), "sm_80", succeeded);

  CHECK_MESSAGE(succeeded, log.substr(0, 2000));
}

TEST_CASE("cuda_memory: packs are read at once only where their address allows it") {
  const Source source{Language::cuda, "", "load_f32x4 store_f32x4", {}};
  const std::string text = codegen::cuda_prelude({&source, 1});
  CHECK(contains(text, "if ((unsigned long)p % sizeof(f32x4) == 0) return *(const f32x4*)p;"));
}
