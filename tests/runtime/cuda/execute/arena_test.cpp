// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/runtime/cuda/execute/arena.hpp>

#include <thread>

#include "cuda_emulator/emulator.hpp"

using namespace sinter;
using namespace sinter::detail;
using runtime::arena_of;
using runtime::CudaArena;

TEST_CASE("cuda_arena: each stream has one arena, as large as the largest request") {
  const emulator::Emulator machine;
  CudaStream& stream = CudaContext::of(cuda()).stream({});
  CudaArena first = arena_of(stream, 1000, {});
  CHECK(first->bytes() >= 1000);
  CHECK(arena_of(stream, 1, {}) == first);
  CudaArena second = arena_of(stream, 5000, {});
  CHECK(second != first);
  CHECK(arena_of(stream, 1000, {}) == second);
  first = nullptr;
  CHECK(memory_stats(cuda()).live_bytes == static_cast<std::int64_t>(second->bytes()));
  second = nullptr;
  CHECK(memory_stats(cuda()).live_bytes == 0);
  CHECK(arena_of(stream, 10, {})->bytes() < 1000);
}

TEST_CASE("cuda_arena: streams do not share") {
  const emulator::Emulator machine;
  const CudaArena here = arena_of(CudaContext::of(cuda()).stream({}), 100, {});
  std::thread([&] {
    CHECK(arena_of(CudaContext::of(cuda()).stream({}), 100, {})->data() != here->data());
  }).join();
}
