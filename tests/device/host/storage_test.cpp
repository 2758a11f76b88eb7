#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <sinter/base/error.hpp>
#include <sinter/device/host/size_class.hpp>
#include <sinter/device/host/storage.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

std::uintptr_t address(const Storage& storage) {
  return reinterpret_cast<std::uintptr_t>(storage.data());
}

}  // namespace

TEST_CASE("storage: blocks are aligned for vectors, large ones for huge pages") {
  for (const std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 1000u, 4096u, 1u << 20}) {
    const Storage storage = Storage::allocate(bytes);
    CHECK(storage.bytes() == bytes);
    CHECK(address(storage) != 0);
    CHECK(address(storage) % storage_alignment == 0);
  }
  for (const std::size_t bytes : {2u << 20, (2u << 20) + 1, 9u << 20}) {
    CHECK(address(Storage::allocate(bytes)) % huge_page_bytes == 0);
  }
}

TEST_CASE("storage: copies share memory, and the last one is unique again") {
  Storage first = Storage::allocate(16);
  CHECK(first.unique());
  {
    const Storage second = first;
    CHECK(second == first);
    CHECK(second.data() == first.data());
    CHECK_FALSE(first.unique());
  }
  CHECK(first.unique());

  const Storage third = std::move(first);
  CHECK(third.unique());
  CHECK_FALSE(first);
  CHECK(first.data() == nullptr);
  CHECK_FALSE(Storage().unique());
}

TEST_CASE("storage: borrowed memory is neither copied nor counted") {
  const float values[3] = {1, 2, 3};
  const auto before = memory_stats();

  const Storage storage = Storage::borrow(values, sizeof(values));

  CHECK(storage.borrowed());
  CHECK(storage.data() == values);
  CHECK(storage.bytes() == 12);
  CHECK(memory_stats().live_bytes == before.live_bytes);
  CHECK_FALSE(Storage::allocate(12).borrowed());
}

TEST_CASE("storage: a loop that allocates the same sizes reuses the same memory") {
  const auto step = [] {
    const Storage a = Storage::allocate(100'000), b = Storage::allocate(3 << 20);
    std::memset(a.data(), 1, a.bytes());
    std::memset(b.data(), 1, b.bytes());
  };
  step();
  reset_memory_stats();

  for (int i = 0; i < 100; ++i) step();

  CHECK(memory_stats().allocations == 200);
  CHECK(memory_stats().system_allocations == 0);
}

TEST_CASE("storage: recently freed blocks replace older idle blocks of other sizes") {
  release_idle_memory();
  constexpr std::size_t most = std::size_t{512} << 20, less = std::size_t{300} << 20;
  Storage::allocate(most);  // more than this program uses otherwise; no page of it is touched
  Storage::allocate(less);
  reset_memory_stats();

  for (int i = 0; i < 3; ++i) Storage::allocate(less);

  CHECK(memory_stats().system_allocations == 0);
  CHECK(memory_stats().idle_bytes < static_cast<std::int64_t>(most));
  release_idle_memory();
}

TEST_CASE("storage: counts what is live, the peak and what is idle") {
  release_idle_memory();
  reset_memory_stats();
  const auto before = memory_stats();
  {
    const Storage a = Storage::allocate(1024), b = Storage::allocate(2048);
    CHECK(memory_stats().live_bytes == before.live_bytes + 3072);
  }
  const auto after = memory_stats();

  CHECK(after.allocations == 2);
  CHECK(after.system_allocations == 2);
  CHECK(after.live_bytes == before.live_bytes);
  CHECK(after.peak_bytes == before.live_bytes + 3072);
  CHECK(after.idle_bytes == 3072);
  CHECK(release_idle_memory() == 3072);
  CHECK(memory_stats().idle_bytes == 0);
}

TEST_CASE("storage: out of memory is a ValueError with the bytes and the line") {
  for (const std::size_t bytes : {std::size_t{1} << 46, ~std::size_t{0}}) {
    std::string message;
    try {
      Storage::allocate(bytes);
    } catch (const ValueError& error) {
      message = error.what();
    }
    CHECK(message.find("allocate: not enough memory\n") == 0);
    CHECK(message.find(std::to_string(bytes) + " bytes") != std::string::npos);
    CHECK(message.find("storage_test.cpp:") != std::string::npos);
  }
  CHECK(memory_stats().live_bytes < std::int64_t{1} << 46);
  CHECK(memory_stats().peak_bytes < std::int64_t{1} << 46);
}

TEST_CASE("storage: a failed allocation does not raise the limit of idle memory") {
  CHECK_THROWS_AS(Storage::allocate(std::size_t{1} << 46), ValueError);
  release_idle_memory();
  for (std::size_t i = 1; i <= 8; ++i) Storage::allocate(i << 26);
  CHECK(memory_stats().idle_bytes <= memory_stats().live_bytes + (std::int64_t{8} << 26));
}

TEST_CASE("storage: a missing GPU is a DeviceError") {
  CHECK_THROWS_AS(Storage::allocate(4, cuda(99)), DeviceError);
}

TEST_CASE("storage: threads allocate, copy and free concurrently") {
  const Storage shared = Storage::allocate(64);
  const auto live = memory_stats().live_bytes;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;

  for (unsigned char id = 1; id <= 4; ++id) {
    threads.emplace_back([&shared, &wrong, id] {
      for (int i = 0; i < 2000; ++i) {
        const Storage copy = shared;
        const Storage own = Storage::allocate(static_cast<std::size_t>(64 + i % 7 * 100));
        std::memset(own.data(), id, own.bytes());
        const auto* const bytes = static_cast<const unsigned char*>(own.data());
        if (bytes[0] != id || bytes[own.bytes() - 1] != id) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();

  CHECK(wrong == 0);
  CHECK(shared.unique());
  CHECK(memory_stats().live_bytes == live);
}

TEST_CASE("storage: a forked child allocates, whatever the other threads did") {
  std::atomic<bool> stop = false;
  std::thread busy([&stop] {
    while (!stop) Storage::allocate(256);
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);  // a locked mutex would hang
      _exit(Storage::allocate(256) ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  stop = true;
  busy.join();
}

TEST_CASE("storage: borrowed memory is released once, with the last copy") {
  const float memory[]{1, 2};
  int returned = 0;
  const auto release = [](void* count) { ++*static_cast<int*>(count); };
  {
    const Storage first = Storage::borrow(memory, sizeof(memory), release, &returned);
    const Storage second = first;
    CHECK(first.borrowed());
    CHECK(second.data() == memory);
    CHECK(returned == 0);
  }
  CHECK(returned == 1);
}

TEST_CASE("storage: zeros are zero, in new blocks and in blocks that were used") {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{3} << 20}) {
    for (int round = 0; round < 2; ++round) {
      const Storage zeros = Storage::zeros(bytes, Where::current());
      REQUIRE(zeros.bytes() == bytes);
      const auto* const first = static_cast<const unsigned char*>(zeros.data());
      bool are_zero = true;
      for (std::size_t i = 0; i < bytes; ++i) are_zero = are_zero && first[i] == 0;
      CHECK(are_zero);
      std::memset(zeros.data(), 1, bytes);  // for the next round
    }
  }
}
