#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/device/cuda/submission.hpp>

#include <string>
#include <thread>
#include <vector>

#include "device/fake_cuda.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

void give(const Storage* read, const Storage* written, std::function<void()> body) {
  CudaSubmission work(cuda());
  if (read != nullptr) work.reads(*read);
  if (written != nullptr) work.writes(*written);
  fake_cuda::launch(work.stream().handle, std::move(body));
}

}  // namespace

TEST_CASE("cuda_memory: GPU memory is shared, counted and recycled like host memory") {
  fake_cuda::Machine machine(2);
  const void* address = nullptr;
  {
    const Storage first = Storage::allocate(1000, cuda(1)), copy = first;
    address = first.data();
    CHECK(first.device() == cuda(1));
    CHECK(first.bytes() == 1000);
    CHECK(copy == first);
    CHECK_FALSE(first.unique());
    CHECK_FALSE(first.borrowed());
    CHECK(machine.memory.at(device_address(first)).device == 1);
    CHECK(memory_stats(cuda(1)).live_bytes == 1024);
    CHECK(memory_stats(cuda(0)).live_bytes == 0);
  }
  CHECK(memory_stats(cuda(1)).live_bytes == 0);
  CHECK(memory_stats(cuda(1)).idle_bytes == 1024);
  reset_memory_stats(cuda(1));

  CHECK(Storage::allocate(900, cuda(1)).data() == address);

  CHECK(memory_stats(cuda(1)).allocations == 1);
  CHECK(memory_stats(cuda(1)).system_allocations == 0);
  CHECK(memory_stats(cuda(1)).peak_bytes == 1024);
  CHECK(release_idle_memory(cuda(1)) == 1024);
  CHECK(machine.memory.empty());
}

TEST_CASE("cuda_memory: allocations of 0 and few bytes have an address") {
  const fake_cuda::Machine machine;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{65}}) {
    const Storage storage = Storage::allocate(bytes, cuda());
    CHECK(storage.data() != nullptr);
    CHECK(device_address(storage) % storage_alignment == 0);
  }
}

TEST_CASE("cuda_memory: a stream reuses its own freed memory without waiting") {
  fake_cuda::Machine machine;
  for (int i = 0; i < 5; ++i) {
    const Storage memory = Storage::allocate(100, cuda());
    give(nullptr, &memory, [] {});
  }
  CHECK(machine.calls("allocate") == 1);
  CHECK(machine.calls("wait_event") == 0);
  CHECK(machine.calls("synchronize_stream") == 0);
}

TEST_CASE("cuda_memory: another stream waits before it writes to freed memory") {
  fake_cuda::Machine machine;
  int value = 1, seen = -1;
  {
    const Storage memory = Storage::allocate(100, cuda());
    give(&memory, nullptr, [&] { seen = value; });
  }
  std::thread([&] {
    const Storage memory = Storage::allocate(100, cuda());
    give(nullptr, &memory, [&] { value = 2; });
    synchronize(CudaContext::of(cuda()).stream({}), {});
  }).join();
  CHECK(machine.calls("allocate") == 1);
  CHECK(machine.calls("wait_event") == 1);
  CHECK(seen == 1);
}

TEST_CASE("cuda_memory: a stream prefers blocks that need no wait") {
  fake_cuda::Machine machine;
  Storage mine = Storage::allocate(100, cuda()), other = Storage::allocate(100, cuda());
  give(nullptr, &mine, [] {});
  std::thread([&] { give(nullptr, &other, [] {}); }).join();
  const void* const address = mine.data();
  mine = Storage();
  other = Storage();  // comes first in the list
  CHECK(Storage::allocate(100, cuda()).data() == address);
}

TEST_CASE("cuda_memory: out of memory, idle blocks are freed after their work") {
  fake_cuda::Machine machine(1, 8 * mib);
  {
    const Storage memory = Storage::allocate(6 * mib, cuda());
    give(nullptr, &memory, [] {});
  }
  const Storage other = Storage::allocate(3 * mib, cuda());
  CHECK(other);
  CHECK(machine.calls("free") == 1);
  CHECK_FALSE(machine.freed_too_early);
  CHECK(memory_stats(cuda()).idle_bytes == 0);
}

TEST_CASE("cuda_memory: out of memory is a ValueError with the memory in use and a fix") {
  fake_cuda::Machine machine(1, 8 * mib);
  const Storage held = Storage::allocate(2 * mib, cuda());
  const Where here = Where::current();
  for (const std::size_t bytes : {7 * mib, ~std::size_t{0}}) {
    std::string message;
    try {
      Storage::allocate(bytes, cuda(), here, "a test");
    } catch (const ValueError& error) {
      message = error.what();
    }
    CHECK(message.find("allocate: not enough memory on cuda:0\n") == 0);
    CHECK(message.find("asked " + std::to_string(bytes) + " bytes\n") != std::string::npos);
    CHECK(message.find("for   a test\n") != std::string::npos);
    CHECK(message.find("in use 2097152 bytes\n") != std::string::npos);
    CHECK(message.find("cached 0 bytes\n") != std::string::npos);
    CHECK(message.find("free  6291456 bytes of 8388608\n") != std::string::npos);
    CHECK(message.find("fix   use smaller batches") != std::string::npos);
    CHECK((message.find("less memory in total") != std::string::npos) == (bytes > 8 * mib));
    CHECK(message.find(to_string(here)) != std::string::npos);
  }
  CHECK(memory_stats(cuda()).live_bytes == 2 * mib);
  const ScopedAllocationFailure failure(0);
  CHECK_THROWS_AS(Storage::allocate(1, cuda()), ValueError);
}

TEST_CASE("cuda_memory: the error tells if other programs hold the missing memory") {
  fake_cuda::Machine machine(1, 8 * mib);
  machine.others = 5 * mib;
  std::string message;
  try {
    Storage::allocate(4 * mib, cuda());
  } catch (const ValueError& error) {
    message = error.what();
  }
  CHECK(message.find("end other programs on this GPU, which hold about 5242880 bytes") !=
        std::string::npos);
}

TEST_CASE("cuda_memory: another failure of the driver is a DeviceError") {
  fake_cuda::Machine machine;
  machine.fail("allocate", 719);
  CHECK_THROWS_AS(Storage::allocate(1, cuda()), DeviceError);
  machine.fail("allocate", 0);
  CHECK(Storage::allocate(1, cuda()));
}

TEST_CASE("cuda_memory: threads allocate, use and free concurrently without leaks") {
  fake_cuda::Machine machine;
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([id] {
      Storage last;
      for (int i = 0; i < 300; ++i) {
        Storage memory =
            Storage::allocate(static_cast<std::size_t>(64 + (i + id) % 5 * 200), cuda());
        give(last ? &last : nullptr, &memory, [] {});
        last = memory;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(memory_stats(cuda()).live_bytes == 0);
  CHECK(memory_stats(cuda()).allocations == 1200);
  machine.remove();
  CHECK(machine.memory.empty());
  CHECK(machine.live_events == 0);
}

TEST_CASE("cuda_memory: a storage that outlives its driver can be destroyed") {
  Storage memory;
  {
    const fake_cuda::Machine machine;
    memory = Storage::allocate(100, cuda());
  }
  memory = Storage();
  CHECK_FALSE(memory);
}
