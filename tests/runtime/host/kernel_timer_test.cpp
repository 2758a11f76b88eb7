#include <doctest/doctest.h>
#include <sinter/runtime/host/kernel_timer.hpp>

#include <chrono>
#include <thread>

using namespace sinter;
using namespace sinter::detail;
using runtime::KernelTimer;

namespace {

// Computes for at least this time; returns the time that it took.
std::int64_t spin(std::int64_t nanoseconds) {
  const std::int64_t start = KernelTimer::now();
  while (KernelTimer::now() - start < nanoseconds) {
  }
  return KernelTimer::now() - start;
}

}  // namespace

TEST_CASE("kernel_timer: the times of a kernel's launches add up") {
  KernelTimer stopwatch(2);
  for (int i = 0; i < 3; ++i) {
    stopwatch.begin(1);
    stopwatch.end(20);
  }
  stopwatch.begin(0);
  stopwatch.end(7);
  CHECK(stopwatch.take() == std::vector<std::int64_t>{7, 60});
  CHECK(stopwatch.take() == std::vector<std::int64_t>{0, 0});
  CHECK(KernelTimer(0).take().empty());
}

TEST_CASE("kernel_timer: the time of a launch is the time of its slowest thread") {
  KernelTimer stopwatch(1);
  stopwatch.begin(0);
  std::thread other([&] { stopwatch.end(spin(2'000'000)); });
  stopwatch.end(spin(1'000));
  other.join();
  CHECK(stopwatch.take()[0] >= 2'000'000);
}

TEST_CASE("kernel_timer: sleep does not count") {
  const std::int64_t start = KernelTimer::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(KernelTimer::now() - start < 15'000'000);
}
