#include "shared.hpp"

#include <doctest/doctest.h>

#include "kernel/link.hpp"

using namespace emulator;
using emulated::atomic;
using emulated::reads;
using emulated::writes;

namespace {

Shared block_of(unsigned threads) {
  Shared shared(64);
  shared.start(threads);
  return shared;
}

}  // namespace

TEST_CASE("shared: what one thread wrote another reads only behind a barrier") {
  Shared shared = block_of(64);
  CHECK(shared.access(0, 4, writes, 3).kind == "");
  CHECK(shared.access(0, 4, reads, 3).kind == "");
  CHECK(shared.access(0, 4, reads, 40).kind == "race");
  shared.clock().pass_barrier();
  CHECK(shared.access(0, 4, reads, 40).kind == "");
}

TEST_CASE("shared: what one thread read another writes only behind a barrier") {
  Shared shared = block_of(64);
  shared.access(0, 4, writes, 0);
  shared.clock().pass_barrier();
  CHECK(shared.access(0, 4, reads, 1).kind == "");
  CHECK(shared.access(0, 4, reads, 33).kind == "");
  CHECK(shared.access(0, 4, writes, 1).kind == "race");
}

TEST_CASE("shared: a synchronisation orders the lanes of a warp that take part, and no others") {
  Shared shared = block_of(64);
  shared.access(0, 4, writes, 0);
  shared.clock().pass_warp(0, 0x3);
  CHECK(shared.access(0, 4, reads, 1).kind == "");
  CHECK(shared.access(0, 4, reads, 2).kind == "race");
  CHECK(shared.access(0, 4, reads, 32).kind == "race");
}

TEST_CASE("shared: readers of a warp are before a writer that they were synchronised with") {
  Shared shared = block_of(32);
  shared.access(0, 4, writes, 0);
  shared.clock().pass_warp(0, ~0u);
  for (unsigned lane = 0; lane < 32; ++lane) CHECK(shared.access(0, 4, reads, lane).kind == "");
  shared.clock().pass_warp(0, ~0u);
  CHECK(shared.access(0, 4, writes, 5).kind == "");
}

TEST_CASE("shared: an order goes on through a third lane") {
  Shared shared = block_of(32);
  shared.access(0, 4, writes, 0);
  shared.clock().pass_warp(0, 0x3);  // 0 and 1
  shared.clock().pass_warp(0, 0x6);  // 1 and 2
  CHECK(shared.access(0, 4, reads, 2).kind == "");
}

TEST_CASE("shared: bytes of one word have owners of their own") {
  Shared shared = block_of(64);
  CHECK(shared.access(0, 1, writes, 0).kind == "");
  CHECK(shared.access(1, 1, writes, 40).kind == "");
  CHECK(shared.access(2, 2, writes, 50).kind == "");
  CHECK(shared.access(0, 4, reads, 0).kind == "race");
}

TEST_CASE("shared: atomic operations do not race with each other, but with all else") {
  Shared shared = block_of(64);
  shared.access(0, 4, writes, 0);
  shared.clock().pass_barrier();
  CHECK(shared.access(0, 4, atomic | writes, 1).kind == "");
  CHECK(shared.access(0, 4, atomic | writes, 33).kind == "");
  CHECK(shared.access(0, 4, reads, 2).kind == "race");
}

TEST_CASE("shared: blocks may add at once to the memory of the GPU, and do nothing else there") {
  Shared shared = block_of(32);
  emulator::Touched sum, read, written;
  CHECK(shared.access_global(sum, atomic | writes, 1).kind == "");
  CHECK(shared.access_global(read, reads, 1).kind == "");
  CHECK(shared.access_global(written, writes, 1).kind == "");
  shared.start(32);
  CHECK(shared.access_global(sum, atomic | writes, 1).kind == "");
  CHECK(shared.access_global(sum, reads, 2).kind == "race");
  CHECK(shared.access_global(read, atomic | writes, 1).kind == "race");
  CHECK(shared.access_global(written, atomic | writes, 1).kind == "race");
}

TEST_CASE("shared: every block begins with nothing written") {
  Shared shared = block_of(32);
  CHECK(shared.access(0, 4, reads, 0).kind == "uninitialised shared memory");
  CHECK(shared.access(8, 4, atomic | writes, 0).kind == "uninitialised shared memory");
  shared.access(0, 4, writes, 0);
  CHECK(shared.access(0, 4, reads, 0).kind == "");
  shared.start(32);
  CHECK(shared.access(0, 4, reads, 0).kind == "uninitialised shared memory");
}
