// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/runtime/cuda/profiler.hpp>

#include "cuda_emulator/emulator.hpp"
#include "cuda_emulator/program.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::runtime;

namespace {

constexpr const char* two_kernels = R"(extern "C" __global__ void one() {}
extern "C" __global__ void other() {})";

std::int64_t time_of(const emulator::Timed& timed) { return timed.kernel == "one" ? 2000 : 5000; }

struct Profiling {
  Profiling() { REQUIRE(KernelProfiler::process().start()); }
  ~Profiling() { KernelProfiler::process().stop(); }
};

}  // namespace

TEST_CASE("cuda_profiler: runs have the times of their events, in the clock of the host") {
  emulator::Emulator machine;
  machine.set_times(time_of);
  const Profiling profiling;
  CudaSubmission work(cuda(1));
  emulator::use_device(1);
  const emulator::Program program(two_kernels);
  CudaKernelProfiler watch(work);
  const auto launch = [&](const char* name) {
    work.check(work.driver().launch(program.function(name), 1, 1, 1, 32, 1, 1, 0,
                                    work.stream().handle, nullptr, nullptr),
               "cuLaunchKernel");
  };
  const std::int64_t before = monotonic_nanoseconds();
  watch.begin({.kernel = "first", .bytes_read = 8});
  launch("one");
  watch.end();
  launch("other");  // between them
  watch.begin({.kernel = "second"});
  launch("other");
  watch.end();
  watch.report();
  const KernelTrace seen = KernelProfiler::process().stop();
  REQUIRE(seen.runs.size() == 2);
  CHECK(seen.runs[0].bytes_read == 8);
  REQUIRE(seen.spans.size() == 2);
  CHECK(seen.spans[0].gpu == 1);
  CHECK(seen.spans[0].end - seen.spans[0].start == 2000);
  CHECK(seen.spans[1].start - seen.spans[0].end == 5000);
  CHECK(seen.spans[1].end - seen.spans[1].start == 5000);
  CHECK(seen.spans[1].end >= before);
  CHECK(seen.spans[1].end <= monotonic_nanoseconds());
}

TEST_CASE("cuda_profiler: reports all runs of a long call, and drops a run that fails") {
  const emulator::Emulator machine;
  const Profiling profiling;
  CudaSubmission work(cuda());
  constexpr std::size_t count = CudaKernelProfiler::max_pending_runs + 10;
  {
    CudaKernelProfiler watch(work);
    for (std::size_t i = 0; i < count; ++i) {
      watch.begin({.kernel = "step"});
      watch.end();
    }
    CHECK(watch.pending() == 10);
    watch.report();
    CHECK(watch.pending() == 0);
    watch.begin({.kernel = "one that fails, and does not end"});
  }
  CHECK(KernelProfiler::process().stop().spans.size() == count);
}
