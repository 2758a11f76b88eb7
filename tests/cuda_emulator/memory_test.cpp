// test: emulator
#include "memory.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

#include "emulator.hpp"
#include "program.hpp"

using namespace emulator;

TEST_CASE("memory: allocations are apart, and no address is given out twice") {
  Arena arena(0, 1 << 20);
  const Address a = arena.allocate(100, "allocation");
  const Address b = arena.allocate(100, "allocation");
  CHECK(a % 256 == 0);
  CHECK(b >= a + 4096);
  CHECK(arena.used() == 512);
  CHECK(arena.free(a));
  CHECK_FALSE(arena.free(a));
  CHECK_FALSE(arena.free(a + 4));
  CHECK(arena.used() == 256);
  CHECK(arena.allocate(100, "allocation") > b);
  CHECK(arena.state(a) == Byte::freed);
  CHECK(arena.state(b) == Byte::unwritten);
  CHECK(arena.state(b + 100) == Byte::outside);
}

TEST_CASE("memory: there is only so much of it") {
  Arena arena(0, 1000);
  CHECK(arena.allocate(1024, "allocation") == 0);
  const Address a = arena.allocate(700, "allocation");
  CHECK(a != 0);
  CHECK(arena.allocate(300, "allocation") == 0);
  arena.free(a);
  CHECK(arena.allocate(700, "allocation") != 0);
}

TEST_CASE("memory: bytes know whether they were written") {
  Arena arena(0, 1 << 20);
  const Address a = arena.allocate(16, "allocation");
  arena.mark_written(a, 8);
  CHECK(arena.holds(a, 8, true));
  CHECK_FALSE(arena.holds(a, 16, true));
  CHECK(arena.holds(a, 16, false));
  CHECK_FALSE(arena.holds(a + 12, 8, false));
}

TEST_CASE("memory: an address is told by its allocation") {
  Arena arena(1, 1 << 20);
  const Address a = arena.allocate(16, "allocation");
  CHECK(describe(arena, a + 4) == "byte 4 of allocation 1 (16 bytes on cuda:1)");
  CHECK(describe(arena, a + 20) ==
        "byte 20 of allocation 1 (16 bytes on cuda:1), 4 bytes past its end");
  arena.free(a);
  CHECK(describe(arena, a) == "byte 0 of allocation 1 (16 bytes on cuda:1), which was freed");
}

TEST_CASE("memory: the host cannot read memory of the device") {
  const Emulator machine;
  use_device(0);
  const Buffer<int> memory(std::vector<int>{1});
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    const volatile int* const pointer = reinterpret_cast<const int*>(memory.address());
    _exit(*pointer);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(memory.values()[0] == 1);
}

TEST_CASE("memory: the driver says when there is no more, and how much is left") {
  const Emulator machine({.memory = 4096});
  use_device(1);
  std::size_t free = 0, total = 0;
  const Buffer<char> memory(1024);
  CHECK(driver().memory_info(&free, &total) == 0);
  CHECK(free == 3072);
  CHECK(total == 4096);
  std::uint64_t address = 0;
  CHECK(driver().allocate(&address, 4000) == sinter::detail::CudaDriver::out_of_memory);
  CHECK(machine.used_memory(0) == 0);
  CHECK(machine.used_memory(1) == 1024);
}

TEST_CASE("memory: what is freed twice is reported") {
  Emulator machine;
  use_device(0);
  Buffer<int> memory(1);
  CHECK(driver().free(memory.address()) == 0);
  CHECK(driver().free(memory.address()) == 1);
  REQUIRE(machine.reports().size() == 1);
  memory.free();
  CHECK(machine.reports().size() == 1);
}

TEST_CASE("memory: a copy past the end, and one to the host of what was never written") {
  Emulator machine;
  use_device(0);
  const Buffer<int> memory(4);
  int values[5]{};
  CHECK(driver().copy_to_host(values, memory.address(), 16) == 0);
  CHECK(contains(machine.reports().at(0), "read of unwritten memory: a copy to the host of 16"));
  CHECK(driver().copy_to_device(memory.address(), values, 20) == 700);
  CHECK(contains(machine.reports().at(0), "out of bounds: a copy to the device of 20 bytes"));
}

TEST_CASE("memory: of another GPU is reached by copies, and by kernels once that is allowed") {
  const Emulator machine;
  use_device(1);
  const Buffer<int> there(std::vector<int>{5, 6});
  void* peer = nullptr;
  driver().context(&peer);
  use_device(0);
  void* here = nullptr;
  driver().context(&here);
  const Buffer<int> copy(2), out(2);
  CHECK(driver().copy_to_peer_async(copy.address(), here, there.address(), peer, 8, nullptr) == 0);
  CHECK(copy.values() == std::vector<int>{5, 6});
  const Program program(
      "extern \"C\" __global__ void f(int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }");
  CHECK(driver().enable_peer_access(peer, 0) == 0);
  CHECK(driver().enable_peer_access(peer, 0) == 704);
  CHECK(program.run("f", {1, 2}, there, out) == 0);
  CHECK(out.values() == std::vector<int>{5, 6});
}
