#include <doctest/doctest.h>

#include <cstring>

#include <sinter/device/cuda/backend/backend.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/device/host/copy.hpp>

#include "device/fake_cuda.hpp"

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("cuda_backend: it is the backend of a program that includes sinter.hpp") {
  CHECK(gpu_backend() == &cuda_backend());
  CHECK(&gpus_for(cuda(), {}) == &cuda_backend());
}

TEST_CASE("cuda_backend: counts the GPUs of the driver") {
  fake_cuda::Machine machine(2);
  CHECK(cuda_backend().count() == 2);
  CHECK(cuda_device_count() == 2);
  CHECK(cuda_backend().why_not_runnable(cuda(2)) == "this machine has 2 GPUs");
  CHECK(cuda_backend().way_to_run(cuda(2)) == "use cuda(0) to cuda(1), or cpu()");
}

TEST_CASE("cuda_backend: asks the driver what a GPU is and takes") {
  CudaDriver driver{};
  driver.device_count = [](int* count) { return *count = 1, 0; };
  driver.device = [](int* device, int index) { return *device = index, 0; };
  driver.device_attribute = [](int* value, int attribute, int) {
    return *value = attribute == CudaDriver::capability_major ? 9 : 0, 0;
  };
  driver.version = [](int* version) { return *version = 12000, 0; };
  const CudaDriver* const before = replace_cuda_driver(&driver);
  CHECK(cuda_backend().architecture(cuda(), {}) == "sm_90");
  CHECK(cuda_backend().most_argument_bytes() == 4096);
  replace_cuda_driver(before);
}

TEST_CASE("cuda_backend: memory is allocated, found, copied and counted") {
  fake_cuda::Machine machine;
  const GpuBackend& gpus = cuda_backend();
  const Storage host = Storage::allocate(100);
  std::memset(host.data(), 7, 100);
  {
    const Storage there = gpus.allocate(100, cuda(), {}, "a test");
    CHECK(gpus.memory_at(cuda(), there.data()) == there);
    CHECK_FALSE(gpus.memory_at(cuda(), host.data()));
    gpus.copy(there, host, {});
    CHECK(std::memcmp(gpus.host_bytes(there, {}), host.data(), 100) == 0);
    gpus.await_work_with(there, {});
    gpus.synchronize(cuda(), {});
    CHECK(gpus.stats(cuda(), {}).live_bytes >= 100);
  }
  CHECK(gpus.stats(cuda(), {}).live_bytes == 0);
  gpus.reset_stats(cuda(), {});
  CHECK(gpus.stats(cuda(), {}).allocations == 0);
  CHECK(gpus.release_idle(cuda(), {}) >= 100);
}

TEST_CASE("cuda_backend: borrowed memory goes back to its owner") {
  fake_cuda::Machine machine;
  const Storage owned = cuda_backend().allocate(64, cuda(), {}, "a test");
  int returned = 0;
  {
    const Storage borrowed = cuda_backend().borrow(
        cuda(), owned.data(), 64, [](void* count) { ++*static_cast<int*>(count); }, &returned, {});
    CHECK(borrowed.borrowed());
    CHECK(returned == 0);
  }
  CHECK(returned == 1);
}
