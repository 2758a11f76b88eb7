// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/runtime/cuda/kernel_timer.hpp>

#include <vector>

#include "cuda_emulator/counted_driver.hpp"
#include "cuda_emulator/emulator.hpp"
#include "cuda_emulator/program.hpp"

using namespace sinter;
using namespace sinter::detail;
using runtime::CudaTimedLaunch;
using runtime::CudaKernelTimer;

namespace {

constexpr const char* two_kernels = R"(extern "C" __global__ void one() {}
extern "C" __global__ void other() {})";

std::int64_t time_of(const emulator::Timed& timed) { return timed.kernel == "one" ? 2000 : 5000; }

}  // namespace

TEST_CASE("cuda_stopwatch: kernels have the time between their events, from start to start") {
  emulator::Emulator machine;
  machine.set_times(time_of);
  CudaKernelTimer watch(cuda(), 3);
  const emulator::Program program(two_kernels);
  for (int run = 1; run <= 2; ++run) {
    watch.start(4, Where());
    CudaSubmission work(cuda());
    const auto launch = [&](const char* name) {
      work.check(work.driver().launch(program.function(name), 1, 1, 1, 32, 1, 1, 0,
                                      work.stream().handle, nullptr, nullptr),
                 "cuLaunchKernel");
    };
    for (int i = 0; i < run; ++i) {
      CudaTimedLaunch launch(&watch, work, 2);
      launch("one");
      launch.end();
    }
    launch("other");  // between laps
    CudaTimedLaunch launch(&watch, work, 0);
    launch("other");
    launch.end();
    CHECK(watch.take(Where()) == std::vector<std::int64_t>{5000, 0, 2000 * run});
    CHECK(watch.elapsed() == 10000 + 2000 * run);
    CHECK(watch.take_failed() == -1);
  }
}

TEST_CASE("cuda_stopwatch: a launch that does not end names its kernel, once") {
  const emulator::Emulator machine;
  CudaKernelTimer watch(cuda(), 3);
  watch.start(1, Where());
  const CudaSubmission work(cuda());
  { const CudaTimedLaunch launch(&watch, work, 1); }
  CHECK(watch.take_failed() == 1);
  CHECK(watch.take_failed() == -1);
  { const CudaTimedLaunch none(nullptr, work, 1); }
  CHECK(watch.take_failed() == -1);
}

TEST_CASE("cuda_stopwatch: where there is no memory to overwrite, it times nevertheless") {
  emulator::Emulator machine({.memory = 1 << 12});
  machine.set_times(time_of);
  CudaKernelTimer watch(cuda(), 1);
  watch.start(100, Where());
  CHECK(watch.take(Where()) == std::vector<std::int64_t>{0});
}

TEST_CASE("cuda_stopwatch: of a run without end the first laps are timed, with few events") {
  emulator::Emulator machine;
  machine.set_times(time_of);
  const emulator::CountedDriver driver;
  CudaKernelTimer watch(cuda(), 2);
  watch.start(1, Where());
  const CudaSubmission work(cuda());
  for (std::size_t i = 0; i < CudaKernelTimer::max_timed_launches + 100; ++i) {
    CudaTimedLaunch launch(&watch, work, i % 2);
    launch.end();
  }
  { const CudaTimedLaunch launch(&watch, work, 1); }
  CHECK(watch.take_failed() == 1);
  CHECK(driver.calls<&CudaDriver::record_event>() <= 2 * CudaKernelTimer::max_timed_launches + 1);
  CHECK(watch.take(Where()).size() == 2);
}
