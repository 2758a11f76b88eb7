#include <doctest/doctest.h>
#include <sinter/device/cuda/submission.hpp>

#include <mutex>
#include <thread>

#include "device/fake_cuda.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

// The stream of a thread that ended, with one piece of work.
CudaStream& other_stream(std::function<void()> body) {
  CudaStream* result = nullptr;
  std::thread([&] {
    const CudaSubmission work(cuda());
    fake_cuda::launch(work.stream().handle, std::move(body));
    result = &work.stream();
  }).join();
  return *result;
}

}  // namespace

TEST_CASE(
    "stream_order: work runs after that of another stream; one wait covers all earlier work") {
  fake_cuda::Machine machine;
  CudaStream& mine = CudaContext::of(cuda()).stream({});
  int ran = 0, seen = -1;
  CudaStream& other = other_stream([&] { ran = 1; });
  {
    const std::lock_guard lock(cuda_mutex());
    CHECK_FALSE(runs_after(mine, {.stream = &other, .written = 1}));
    run_after(mine, other, 1, {});
    run_after(mine, other, 1, {});
    run_after(mine, mine, 1, {});
    CHECK(runs_after(mine, {.stream = &other, .written = 1}));
  }
  fake_cuda::launch(mine.handle, [&] { seen = ran; });
  CHECK(ran == 0);  // the host waited for nothing
  synchronize(mine, {});

  CHECK(seen == 1);
  CHECK(machine.calls("wait_event") == 1);
}

TEST_CASE("stream_order: work that the host has waited for is done for all streams") {
  fake_cuda::Machine machine;
  CudaStream& mine = CudaContext::of(cuda()).stream({});
  int ran = 0;
  CudaStream& other = other_stream([&] { ran = 1; });

  synchronize(cuda());

  CHECK(ran == 1);
  CHECK(other.done == 1);
  const std::lock_guard lock(cuda_mutex());
  CHECK(runs_after(mine, {.stream = &other, .written = 1}));
  CHECK_FALSE(runs_after(mine, {.stream = &other, .read = 2}));
}

TEST_CASE("stream_order: streams of several GPUs wait for each other") {
  fake_cuda::Machine machine(2);
  CudaStream& mine = CudaContext::of(cuda(1)).stream({});
  int ran = 0, seen = -1;
  CudaStream& other = other_stream([&] { ran = 1; });
  {
    const std::lock_guard lock(cuda_mutex());
    run_after(mine, other, 1, {});
  }
  fake_cuda::launch(mine.handle, [&] { seen = ran; });
  synchronize(cuda(1));
  CHECK(seen == 1);
  CHECK_NOTHROW(synchronize(cpu()));
}
