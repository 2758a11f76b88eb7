#include <array>    // std::array
#include <cstdint>  // std::int64_t
#include <thread>   // std::thread
#include <vector>   // std::vector

#include <doctest/doctest.h>

#include <sinter/base/container/atomic.hpp>

using sinter::detail::Atomic;
using sinter::detail::MemoryOrder;

namespace {

// Its own alignment, 1, is less than its size; atomic instructions need an alignment of 2.
struct Pair {
  std::uint8_t first = 1;
  std::uint8_t second = 2;
};

}  // namespace

TEST_CASE("an atomic value is loaded, stored and exchanged in every order") {
  Atomic<int> value{3};
  CHECK(value.load() == 3);
  for (const MemoryOrder order :
       {MemoryOrder::relaxed, MemoryOrder::release, MemoryOrder::seq_cst}) {
    value.store(4, order);
    CHECK(value == 4);
    CHECK(value.exchange(3, order) == 4);
  }
  for (const MemoryOrder order :
       {MemoryOrder::relaxed, MemoryOrder::acquire, MemoryOrder::seq_cst}) {
    CHECK(value.load(order) == 3);
  }
  CHECK((value = 7) == 7);
  CHECK(value.fetch_add(2) == 7);
  CHECK(value.fetch_sub(10, MemoryOrder::acq_rel) == 9);
  CHECK(value == -1);
}

TEST_CASE("a failed compare_exchange says what the value is and leaves it") {
  Atomic<std::int64_t> value{5};
  std::int64_t expected = 4;
  CHECK(!value.compare_exchange(expected, 6));
  CHECK(expected == 5);
  CHECK(value == 5);
  CHECK(value.compare_exchange(expected, 6));
  CHECK(expected == 5);
  CHECK(value == 6);
}

TEST_CASE("atomic values are zero without an initial value, and may be pointers and structs") {
  static_assert(alignof(Atomic<Pair>) == sizeof(Pair));
  const Atomic<int> zero;
  CHECK(zero == 0);
  int target = 0;
  Atomic<int*> pointer{nullptr};
  pointer = &target;
  CHECK(pointer.exchange(nullptr) == &target);
  Atomic<Pair> pair;
  CHECK(pair.load().second == 2);
  pair.store({.first = 8, .second = 9}, MemoryOrder::relaxed);
  CHECK(pair.load().first == 8);
  CHECK(pair.load().second == 9);
}

TEST_CASE("no addition of several threads is lost") {
  constexpr int rounds = 20'000;
  Atomic<std::int64_t> added{0}, exchanged{0};
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) {
        added.fetch_add(1, MemoryOrder::relaxed);
        std::int64_t known = exchanged.load(MemoryOrder::relaxed);
        while (!exchanged.compare_exchange(known, known + 1)) {
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(added == 4 * rounds);
  CHECK(exchanged == 4 * rounds);
}

TEST_CASE("what a thread wrote before a release is seen after the acquire") {
  std::array<int, 64> values{};
  Atomic<bool> ready{false};
  std::thread writer([&] {
    values.fill(1);
    ready.store(true, MemoryOrder::release);
  });
  while (!ready.load(MemoryOrder::acquire)) std::this_thread::yield();
  int sum = 0;
  for (const int value : values) sum += value;
  writer.join();
  CHECK(sum == 64);
}
