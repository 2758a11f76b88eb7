#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/device/cuda/staging.hpp>
#include <sinter/device/cuda/submission.hpp>

#include <cstring>
#include <thread>

#include "device/fake_cuda.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

// Host memory with a pattern that starts with `first`.
Storage pattern(std::size_t bytes, unsigned char first) {
  Storage result = Storage::allocate(bytes);
  auto* const data = static_cast<unsigned char*>(result.data());
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(first + i * 7 / 3);
  return result;
}

bool same(const Storage& a, const Storage& b) {
  return a.bytes() == b.bytes() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

constexpr std::size_t sizes[] = {
    0, 1, 1000, 65536, 65537, staging_bytes, 2 * staging_bytes + 5, 7 * staging_bytes};

}  // namespace

TEST_CASE("cuda_copy: copies to a GPU, to another one, and back") {
  fake_cuda::Machine machine(2);
  for (const std::size_t bytes : sizes) {
    const Storage there = copied_to(pattern(bytes, 1), cuda(0));
    const Storage copy = copied_to(there, cuda(0)), far = copied_to(copy, cuda(1));
    CHECK(there.device() == cuda(0));
    CHECK(far.device() == cuda(1));
    CHECK(same(copied_to(far, cpu()), pattern(bytes, 1)));
    CHECK(same(copied_to(copy, cpu()), pattern(bytes, 1)));
  }
  CHECK(same(copied_to(pattern(100, 3), cpu()), pattern(100, 3)));
}

TEST_CASE("cuda_copy: the host does not wait for copies to a GPU, and may change its memory") {
  fake_cuda::Machine machine;
  for (const std::size_t bytes : {std::size_t{1000}, 2 * staging_bytes}) {
    const Storage source = pattern(bytes, 1), there = Storage::allocate(bytes, cuda());
    machine.counts.clear();
    copy_bytes(there, source);
    CHECK(machine.calls("synchronize_stream") + machine.calls("synchronize_event") == 0);
    std::memset(source.data(), 0, bytes);
    CHECK(same(copied_to(there, cpu()), pattern(bytes, 1)));
  }
}

TEST_CASE("cuda_copy: the host may change memory that the program page-locked as well") {
  fake_cuda::Machine machine;
  for (const std::size_t bytes : {std::size_t{4}, std::size_t{65536}, std::size_t{65537}}) {
    const Storage there = Storage::allocate(bytes, cuda());
    void* pinned = nullptr;
    REQUIRE(cuda_driver()->allocate_host(&pinned, bytes, 0) == 0);
    std::memcpy(pinned, pattern(bytes, 1).data(), bytes);
    copy_bytes(there, Storage::borrow(pinned, bytes));
    std::memset(pinned, 0, bytes);
    CHECK(same(copied_to(there, cpu()), pattern(bytes, 1)));
    cuda_driver()->free_host(pinned);
  }
}

TEST_CASE("cuda_copy: a copy back waits once if it is small") {
  fake_cuda::Machine machine;
  const Storage there = copied_to(pattern(64, 1), cuda());
  machine.counts.clear();
  CHECK(same(copied_to(there, cpu()), pattern(64, 1)));
  CHECK(machine.calls("synchronize_stream") == 1);
  CHECK(machine.calls("allocate_host") == 0);
}

TEST_CASE("cuda_copy: copies of several threads are ordered, large ones as well") {
  fake_cuda::Machine machine(2);
  for (const std::size_t bytes : {std::size_t{100}, staging_bytes + 1}) {
    const Storage memory = Storage::allocate(bytes, cuda(0));
    Storage far, back;
    std::thread([&] {
      copy_bytes(memory, pattern(bytes, 9));
      std::thread([&] {
        far = copied_to(memory, cuda(1));
        copy_bytes(memory, pattern(bytes, 50));  // after the copy above, on another GPU
        std::thread([&] { back = copied_to(far, cpu()); }).join();
      }).join();
    }).join();
    CHECK(same(back, pattern(bytes, 9)));
    CHECK(same(copied_to(memory, cpu()), pattern(bytes, 50)));
  }
}

TEST_CASE("cuda_copy: freed sources of copies are not reused too early") {
  fake_cuda::Machine machine(2);
  Storage far;
  {
    const Storage memory = copied_to(pattern(5000, 1), cuda(0));
    far = copied_to(memory, cuda(1));
  }
  const Storage next = copied_to(pattern(5000, 2), cuda(0));
  CHECK(machine.calls("allocate") == 2);
  CHECK(same(copied_to(next, cpu()), pattern(5000, 2)));
  CHECK(same(copied_to(far, cpu()), pattern(5000, 1)));
}

TEST_CASE("cuda_copy: a copy that fails is a DeviceError") {
  fake_cuda::Machine machine;
  const Storage there = Storage::allocate(10, cuda());
  machine.fail("copy_to_device_async", 1);
  CHECK_THROWS_AS(copy_bytes(there, pattern(10, 1)), DeviceError);
  machine.fail("copy_to_device_async", 0);
  copy_bytes(there, pattern(10, 1));
  CHECK(same(copied_to(there, cpu()), pattern(10, 1)));
}

TEST_CASE("cuda_copy: host_bytes() copies once, until the bytes change") {
  fake_cuda::Machine machine;
  const Storage here = pattern(100, 1);
  CHECK(host_bytes(here) == here.data());

  const Storage there = copied_to(here, cuda());
  const auto live = memory_stats().live_bytes;
  const void* const bytes = host_bytes(there);
  CHECK(std::memcmp(bytes, here.data(), 100) == 0);
  CHECK(host_bytes(there) == bytes);
  CHECK(machine.calls("copy_to_host_async") == 1);

  copy_bytes(there, pattern(100, 2));
  CHECK(memory_stats().live_bytes == live);
  CHECK(std::memcmp(host_bytes(there), pattern(100, 2).data(), 100) == 0);
}
