#pragma once
// What tests of replays on a GPU share.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/sinter.hpp>

#include "cuda_emulator/counted_driver.hpp"
#include "cuda_emulator/gpus.hpp"
#include "gpu.hpp"

#define GPU_TEST(machine, driver)   \
  const compiler::FreshCache fresh; \
  SINTER_GPUS(machine, 1);          \
  emulator::CountedDriver driver

// True where only an emulated machine can run or answer the check.
#define EMULATED_TEST(machine, driver)                                           \
  if (emulator::uses_real_gpus()) SINTER_SKIP("this needs an emulated machine"); \
  const compiler::FreshCache fresh;                                              \
  emulator::Emulator machine;                                                    \
  emulator::CountedDriver driver

namespace gpu_graph {

using namespace gpu;
using Driver = CudaDriver;
inline const CompileOptions replayed{.mode = Mode::reduce_overhead};

// Two sums and a function of both: at least three kernels.
inline Tensor mixed(const Tensor& t) {
  return softmax(t, 1) * sum(t, 0) + exp(cumsum(t, 1) * 0.01f);
}

}  // namespace gpu_graph
