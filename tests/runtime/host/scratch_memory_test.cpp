#include <doctest/doctest.h>

#include <thread>

#include <sinter/runtime/host/scratch_memory.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;
using detail::runtime::scratch_memory;

TEST_CASE("scratch_memory: a thread gets back the block that it gave") {
  std::thread([] {
    const auto& memory = scratch_memory();
    void* const large = memory.take(1 << 20);
    void* const small = memory.take(1 << 10);
    CHECK(large != small);
    memory.give(large);
    memory.give(small);
    CHECK(memory.take(1000) == small);  // the smallest that fits
    CHECK(memory.take(1 << 20) == large);
    memory.give(small);
    memory.give(large);
  }).join();
}

TEST_CASE("scratch_memory: a thread keeps no more blocks than it took at once") {
  const auto live = [] { return memory_stats().live_bytes; };
  const auto before = live();
  std::thread([&] {
    const auto& memory = scratch_memory();
    for (long bytes = 1 << 16; bytes <= 1 << 22; bytes *= 2) memory.give(memory.take(bytes));
    const auto kept = live() - before;
    CHECK(kept >= 1 << 22);
    CHECK(kept < 2 << 22);
  }).join();
  CHECK(live() == before);
}

TEST_CASE("scratch_memory: kernels take it once, whatever the number of calls") {
  set_num_threads(1);
  // The image, of which all lines are read, takes more than 256 KiB.
  const auto f = compile([](const Tensor& x, const Tensor& w) { return conv2d(x, w); });
  const Tensor x = ones({1, 64, 60, 60}), w = ones({64, 64, 5, 5});
  for (int i = 0; i < 5; ++i) f(x, w);  // the third keeps packed weights
  reset_memory_stats();
  for (int i = 0; i < 5; ++i) f(x, w);
  CHECK(memory_stats().system_allocations == 0);
  set_num_threads(0);
}
