#include <doctest/doctest.h>
#include <sinter/device/cuda/staging.hpp>
#include <sinter/device/cuda/submission.hpp>

#include <set>

#include "device/fake_cuda.hpp"

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("cuda_staging: buffers are used round-robin, and awaited before they are reused") {
  fake_cuda::Machine machine;
  CudaSubmission work(cuda());
  std::set<const void*> chunks;
  int ran = 0;
  for (int i = 0; i < CudaStagingPool::max_buffers + 1; ++i) {
    CudaStagingLease buffer(work.context(), {});
    chunks.insert(buffer.data());
    CHECK(ran == (i < CudaStagingPool::max_buffers ? 0 : 1));  // only then there is no other one
    fake_cuda::launch(work.stream().handle, [&] { ++ran; });
    buffer.used_by(work.stream());
  }
  CHECK(chunks.size() == CudaStagingPool::max_buffers);
  work.wait();
}

TEST_CASE("cuda_staging: a free buffer is reused") {
  fake_cuda::Machine machine;
  for (int i = 0; i < 10; ++i) {
    CudaSubmission work(cuda());
    CudaStagingLease buffer(work.context(), {});
    buffer.used_by(work.stream());
    buffer.wait();
  }
  CHECK(machine.calls("allocate_host") == 1);
  machine.remove();
  CHECK(machine.pinned.empty());
  CHECK(machine.live_events == 0);
}

TEST_CASE("cuda_staging: any number of buffers can be leased") {
  fake_cuda::Machine machine;
  CudaContext& context = CudaContext::of(cuda());
  const CudaStagingLease a(context, {}), b(context, {}), c(context, {}), d(context, {}),
      e(context, {});
  CHECK(e.data() != a.data());
  CHECK(machine.calls("allocate_host") == 5);
}
