// test: deep
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/prelude/memory.hpp>

#include "nvrtc_check.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("cuda_memory: NVRTC compiles every helper for every type") {
  check_helpers(codegen::detail::cuda_memory_helpers, {1, 2, 4});
}

TEST_CASE("cuda_memory: packs are loaded at once only if their address is aligned") {
  const Source source{Language::cuda, "", "load_f32x4 store_f32x4", {}};
  const std::string text = codegen::cuda_prelude({&source, 1});
  CHECK(contains(text, "if ((unsigned long)p % sizeof(f32x4) == 0) return *(const f32x4*)p;"));
}
