// test: deep emulator gpu cost=25
// The problems that are measured on a GPU, tiny, so that they run where nothing can be measured.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>

#include "../../bench/gpu/problems.hpp"
#include "../../bench/gpu/timer.hpp"
#include "cuda_emulator/gpus.hpp"

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("bench gpu: every problem runs on a GPU, and launches kernels in each call") {
  const compiler::FreshCache cache;
  SINTER_GPUS(machine, 1);
  const ScopedDevice scope(cuda());
  for (const bench::gpu::Problem& problem : bench::gpu::all_tiny()) {
    INFO(problem.name);
    const auto run = problem.make();
    run();
    run();
    synchronize(cuda());
    const std::size_t before = machine.launches() + machine.graph_launches();
    run();
    synchronize(cuda());
    CHECK(machine.launches() + machine.graph_launches() > before);
  }
}

TEST_CASE("bench gpu: a cold first call compiles, however often it is measured") {
  SINTER_GPUS(machine, 1);
  const ScopedDevice scope(cuda());
  for (int again = 0; again < 2; ++again) {
    const std::size_t before = machine.compilations();
    CHECK(bench::gpu::cold_seconds(bench::gpu::layers(2)) > 0);
    CHECK(machine.compilations() > before);
  }
}

TEST_CASE("bench gpu: each clock gives seconds of one call") {
  SINTER_GPUS(machine, 1);
  for (const bench::Clock clock : {bench::Clock::events, bench::Clock::wall, bench::Clock::host}) {
    int calls = 0;
    bench::GpuSample sample([&] { ++calls; }, clock, 1e-5);
    const int before = calls;
    CHECK(sample() >= 0);
    CHECK(calls > before);
  }
}

TEST_CASE("bench gpu: a copy has a bandwidth") {
  SINTER_GPUS(machine, 1);
  CHECK(bench::copied_bytes_per_second(1 << 16) > 0);
}
