// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/runtime/cuda/kernel_timer.hpp>

#include <vector>

#include "cuda_emulator/counted_driver.hpp"
#include "cuda_emulator/emulator.hpp"
#include "cuda_emulator/program.hpp"

using namespace sinter;
using namespace sinter::detail;
using runtime::CudaKernelTimer;
using runtime::CudaTimedLaunch;

namespace {

constexpr const char* two_kernels = R"(extern "C" __global__ void one() {}
extern "C" __global__ void other() {})";

std::int64_t time_of(const emulator::Timed& timed) { return timed.kernel == "one" ? 2000 : 5000; }

}  // namespace

TEST_CASE("cuda_kernel_timer: the time of a kernel is that between its events, since start()") {
  emulator::Emulator machine;
  machine.set_times(time_of);
  CudaKernelTimer timer(cuda(), 3);
  const emulator::Program program(two_kernels);
  for (int run = 1; run <= 2; ++run) {
    timer.start(4, Where());
    CudaSubmission work(cuda());
    const auto launch = [&](const char* name) {
      work.check(work.driver().launch(program.function(name), 1, 1, 1, 32, 1, 1, 0,
                                      work.stream().handle, nullptr, nullptr),
                 "cuLaunchKernel");
    };
    for (int i = 0; i < run; ++i) {
      CudaTimedLaunch timed(&timer, work, 2);
      launch("one");
      timed.end();
    }
    launch("other");  // not timed
    CudaTimedLaunch timed(&timer, work, 0);
    launch("other");
    timed.end();
    CHECK(timer.take(Where()) == std::vector<std::int64_t>{5000, 0, 2000 * run});
    CHECK(timer.elapsed() == 10000 + 2000 * run);
    CHECK(timer.take_failed() == -1);
  }
}

TEST_CASE("cuda_kernel_timer: a launch that does not end names its kernel, once") {
  const emulator::Emulator machine;
  CudaKernelTimer timer(cuda(), 3);
  timer.start(1, Where());
  const CudaSubmission work(cuda());
  { const CudaTimedLaunch timed(&timer, work, 1); }
  CHECK(timer.take_failed() == 1);
  CHECK(timer.take_failed() == -1);
  { const CudaTimedLaunch none(nullptr, work, 1); }
  CHECK(timer.take_failed() == -1);
}

TEST_CASE("cuda_kernel_timer: times also without memory to overwrite") {
  emulator::Emulator machine({.memory = 1 << 12});
  machine.set_times(time_of);
  CudaKernelTimer timer(cuda(), 1);
  timer.start(100, Where());
  CHECK(timer.take(Where()) == std::vector<std::int64_t>{0});
}

TEST_CASE("cuda_kernel_timer: in a long run only the first launches are timed") {
  emulator::Emulator machine;
  machine.set_times(time_of);
  const emulator::CountedDriver driver;
  CudaKernelTimer timer(cuda(), 2);
  timer.start(1, Where());
  const CudaSubmission work(cuda());
  for (std::size_t i = 0; i < CudaKernelTimer::max_timed_launches + 100; ++i) {
    CudaTimedLaunch timed(&timer, work, i % 2);
    timed.end();
  }
  { const CudaTimedLaunch timed(&timer, work, 1); }
  CHECK(timer.take_failed() == 1);
  CHECK(driver.calls<&CudaDriver::record_event>() <= 2 * CudaKernelTimer::max_timed_launches + 1);
  CHECK(timer.take(Where()).size() == 2);
}
