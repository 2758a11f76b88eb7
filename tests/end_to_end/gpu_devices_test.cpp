// On which device a compiled function runs, and what is said where its call does not fit there.

#include <doctest/doctest.h>
#include <sinter/compile/cache.hpp>
#include <sinter/device/allocation_failure.hpp>
#include <sinter/sinter.hpp>

#include <string>
#include <vector>

#include "cuda_emulator/gpus.hpp"
#include "gpu.hpp"

using namespace gpu;

TEST_CASE("gpu: numbers that only are on the host or on the GPU decide where a call runs") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const auto f = compile([](const Tensor& t) { return t * 2.0f; });
  const Tensor here = sum(ones({6})), there = sum(ones({6}).to(cuda()));
  for (int i = 0; i < 2; ++i) {
    CHECK(f(there).device() == cuda());
    CHECK(f(here).device() == cpu());
  }
  CHECK(f.stats().recompiles == 1);
}

TEST_CASE("gpu: prepare compiles for the device where tensors are made") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const ScopedDevice scope(cuda());
  auto f = compile([](const Tensor& t) { return exp(t) + 1.0f; });
  f.prepare(TensorSpec{{5, 6}, f32});
  const std::size_t compilations = machine.compilations();
  CHECK(compilations == 1);
  CHECK(f(ones({5, 6}).to(cuda())).device() == cuda());
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("gpu: a call that does not fit says what for, where, and what would help") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const auto f = compile([](const Tensor& t) { return sum(softmax(matmul(t, t), 1), 0); });
  const Tensor x = randn({8, 8}).to(cuda());
  const std::vector<float> expected = f(x).to_vector<float>();
  std::string purposes;
  for (int i = 0;; ++i) {
    const ScopedAllocationFailure failure(i);
    const std::string message = message_of([&] { f(x); });
    if (!failure.happened()) break;
    CHECK(has(message, "not enough memory on cuda:0"));
    CHECK(has(message, "fix   use smaller batches"));
    CHECK(has(message, "gpu_devices_test.cpp:"));
    purposes += message;
  }
  CHECK(has(purposes, "for   a result of a compiled call"));
  CHECK(has(purposes, "for   what a compiled call computes on the way"));
  CHECK(f(x).to_vector<float>() == expected);
}
