#include <doctest/doctest.h>

#include <thread>
#include <vector>

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

TEST_CASE("scratch_memory: the thread that runs a kernel keeps its large memory until it ends") {
  set_num_threads(1);
  // The packed rows of the left operand take more than 256 KiB.
  const auto f = compile([](const Tensor& x, const Tensor& w) { return matmul(x, w); });
  const std::vector<float> numbers(std::size_t{256} * 4096, 0.5f);
  const Tensor x = from_vector(numbers, {256, 4096}), w = from_vector(numbers, {4096, 256});
  for (int i = 0; i < 5; ++i) f(x, w);  // the third keeps packed weights
  const auto live = [] { return memory_stats().live_bytes; };
  const auto before = live();
  std::thread([&] {
    f(x, w);
    const auto kept = live() - before;
    CHECK(kept >= 1 << 18);
    f(x, w);
    CHECK(live() - before == kept);
  }).join();
  CHECK(live() == before);
  set_num_threads(0);
}
