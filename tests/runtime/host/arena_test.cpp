#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/error.hpp>
#include <sinter/runtime/host/arena.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::runtime;

TEST_CASE("arena: the next call reuses the block of the previous one") {
  ArenaPool pool;
  std::byte* first = nullptr;
  {
    const auto arena = pool.take(1000);
    first = arena.data();
    CHECK(arena.at(64) == first + 64);
    CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
  }
  reset_memory_stats();
  for (int i = 0; i < 10; ++i) CHECK(pool.take(1000).data() == first);
  CHECK(memory_stats().allocations == 0);
}

TEST_CASE("arena: any number of overlapping calls get different blocks") {
  ArenaPool pool;
  std::vector<UniquePtr<const ArenaPool::Arena>> arenas;
  for (int i = 0; i < 20; ++i) {
    arenas.emplace_back(new ArenaPool::Arena(pool.take(256)));
    std::memset(arenas.back()->data(), i, 256);
  }
  for (int i = 0; i < 20; ++i) {
    CHECK(std::to_integer<int>(*arenas[static_cast<std::size_t>(i)]->at(255)) == i);
  }
}

TEST_CASE("arena: a block grows when a call needs more") {
  ArenaPool pool;
  pool.take(64);
  {
    const auto arena = pool.take(100'000);
    std::memset(arena.data(), 1, 100'000);
  }
  CHECK(pool.take(0).data() != nullptr);
}

TEST_CASE("arena: running out of memory is a ValueError, and the pool stays usable") {
  ArenaPool pool;
  for (int i = 0; i < 20; ++i) CHECK_THROWS_AS(pool.take(std::size_t{1} << 46), ValueError);
  CHECK(pool.take(64).data() != nullptr);
}

TEST_CASE("arena: idle blocks can be released") {
  const auto before = memory_stats().live_bytes;
  ArenaPool pool;
  pool.take(4096);
  CHECK(memory_stats().live_bytes == before + 4096);
  pool.release();
  CHECK(memory_stats().live_bytes == before);
}

TEST_CASE("arena: concurrent calls do not share a block") {
  ArenaPool pool;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int id = 1; id <= 4; ++id) {
    threads.emplace_back([&, id] {
      for (int i = 0; i < 1000; ++i) {
        const auto arena = pool.take(512);
        std::memset(arena.data(), id, 512);
        for (const std::size_t at : {0u, 100u, 511u}) {
          if (std::to_integer<int>(*arena.at(at)) != id) ++wrong;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}
