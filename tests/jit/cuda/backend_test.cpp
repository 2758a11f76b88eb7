#include <doctest/doctest.h>

#include <sinter/compile/nvrtc/compiler.hpp>
#include <sinter/device/cuda/backend/backend.hpp>
#include <sinter/jit/cuda/backend.hpp>
#include <sinter/jit/cuda/lower.hpp>
#include <sinter/jit/lower/lower.hpp>

#include "jit/lowered_example.hpp"

using namespace testing;

TEST_CASE("backend: CUDA is installed in every stage before main() starts") {
  CHECK(gpu_backend() == &cuda_backend());
  CHECK(&compiler::gpu_compiler() == &compiler::nvrtc_compiler());
  CHECK((jit::gpu_lowering() == &jit::detail::lower_for_gpu));
  CHECK(jit::install_cuda());
  CHECK(gpu_backend() == &cuda_backend());
}

TEST_CASE("backend: without one, lowering for a GPU is an error and for the host is none") {
  const GpuBackend* const before = std::exchange(gpu_backend(), nullptr);
  const Graph graph = example(5);
  CHECK_THROWS_AS(jit::lower(graph, {.device = cuda()}), DeviceError);
  CHECK(jit::lower(graph, {}).program->device() == cpu());
  gpu_backend() = before;
}
