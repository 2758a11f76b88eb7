#include <doctest/doctest.h>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/device/cuda/external_memory.hpp>
#include <sinter/device/cuda/submission.hpp>

#include <functional>
#include <vector>

#include "device/fake_cuda.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

// GPU memory of another library, and its bytes when it is released.
struct Foreign {
  explicit Foreign(std::size_t size) : bytes(size) {
    CudaContext::of(cuda()).driver().allocate(&address, bytes);
  }
  Storage borrow() {
    return borrow_on(cuda(), data(), bytes,
                     [](void* self) {
                       ++static_cast<Foreign*>(self)->returned;
                       if (static_cast<Foreign*>(self)->at_return)
                         static_cast<Foreign*>(self)->at_return();
                     },
                     this, {});
  }
  const void* data() const { return reinterpret_cast<const void*>(address); }

  std::size_t bytes;
  CudaDriver::Address address = 0;
  int returned = 0;
  std::function<void()> at_return{};
};

void read(const Storage& memory, std::function<void()> body) {
  CudaSubmission work(cuda());
  work.reads(memory);
  fake_cuda::launch(work.stream().handle, std::move(body));
}

}  // namespace

TEST_CASE("external_memory: borrowed memory does not belong to the pool") {
  const fake_cuda::Machine machine;
  Foreign foreign(256);
  const MemoryStats before = memory_stats(cuda());
  {
    const Storage memory = foreign.borrow(), copy = memory;
    CHECK(memory.data() == foreign.data());
    CHECK(memory.bytes() == 256);
    CHECK(memory.device() == cuda());
    CHECK(memory.borrowed());
    CHECK(memory_at(cuda(), foreign.data()) == memory);
    CHECK(foreign.returned == 0);
  }
  CHECK(foreign.returned == 1);
  CHECK_FALSE(memory_at(cuda(), foreign.data()));
  CHECK(memory_stats(cuda()).live_bytes == before.live_bytes);
  CHECK(memory_stats(cuda()).idle_bytes == before.idle_bytes);
}

TEST_CASE("external_memory: is released once, after all work that uses it") {
  const fake_cuda::Machine machine;
  Foreign foreign(256);
  bool done = false, was_done = false;
  foreign.at_return = [&] { was_done = done; };
  {
    const Storage memory = foreign.borrow();
    read(memory, [&] { done = true; });
  }
  CHECK(was_done);
  CHECK(foreign.returned == 1);
}

TEST_CASE("external_memory: the release preserves the current context") {
  const fake_cuda::Machine machine(2);
  Foreign foreign(256);
  Storage memory = foreign.borrow();
  read(memory, [] {});
  const CudaContext& other = CudaContext::of(cuda(1));
  memory = Storage();
  CudaDriver::Handle current = nullptr;
  other.driver().context(&current);
  CHECK(current == other.handle());
}

TEST_CASE("external_memory: finished work is not awaited again") {
  fake_cuda::Machine machine;
  Foreign foreign(256);
  Storage memory = foreign.borrow();
  read(memory, [] {});
  await_work_with(memory, {});
  CHECK(machine.calls("synchronize_stream") == 1);
  memory = Storage();
  CHECK(machine.calls("synchronize_stream") == 1);
  CHECK(foreign.returned == 1);
}

TEST_CASE("external_memory: several storages at one address live until the last is destroyed") {
  const fake_cuda::Machine machine;
  Foreign first(256);
  bool done = false, was_done = false;
  Storage one = first.borrow(), other = first.borrow();
  CHECK(memory_at(cuda(), first.data()) == one);
  first.at_return = [&] { was_done = done; };
  read(one, [&] { done = true; });
  one = Storage();
  CHECK(first.returned == 0);
  CHECK(memory_at(cuda(), first.data()));
  other = Storage();
  CHECK(first.returned == 2);
  CHECK(was_done);
  CHECK_FALSE(memory_at(cuda(), first.data()));
}

TEST_CASE("external_memory: memory of sinter that returns is the same block") {
  const fake_cuda::Machine machine;
  int returned = 0;
  const auto count = [](void* owner) { ++*static_cast<int*>(owner); };
  Storage own = Storage::allocate(256, cuda());
  const void* const address = own.data();
  Storage back = borrow_on(cuda(), address, 256, count, &returned, {});
  CHECK(back.data() == address);
  CHECK_FALSE(own.unique());
  own = Storage();
  CHECK(memory_stats(cuda()).idle_bytes == 0);
  back = Storage();
  CHECK(returned == 1);
  CHECK(memory_stats(cuda()).idle_bytes == 256);
  CHECK(Storage::allocate(256, cuda()).data() == address);
}

TEST_CASE("external_memory: is released after GPU failures and driver replacement") {
  fake_cuda::Machine machine;
  Foreign foreign(256), later(256);
  {
    const Storage memory = foreign.borrow();
    read(memory, [] {});
    machine.fail("synchronize_stream", 700);
  }
  CHECK(foreign.returned == 1);
  machine.fail("synchronize_stream", 0);
  Storage memory = later.borrow();
  read(memory, [] {});
  machine.remove();
  memory = Storage();
  CHECK(later.returned == 1);
}
