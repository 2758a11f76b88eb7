// Each driver call fails once: the error is thrown, nothing leaks, and later results are right.

#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/device/cuda/staging.hpp>
#include <sinter/device/cuda/submission.hpp>

#include <cstring>
#include <exception>
#include <thread>

#include "device/fake_cuda.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

Storage numbered(std::size_t bytes) {
  const Storage result = Storage::allocate(bytes);
  auto* const to = static_cast<unsigned char*>(result.data());
  for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<unsigned char>(i % 251);
  return result;
}

// The error that `body` throws in a new thread, which has its own streams.
template <class Body>
void in_thread(Body body) {
  std::exception_ptr thrown;
  std::thread([&] {
    try {
      body();
    } catch (...) {
      thrown = std::current_exception();
    }
  }).join();
  if (thrown) std::rethrow_exception(thrown);
}

// Copies through pinned memory, work of two threads and two GPUs on the same bytes, and memory that
// the driver has only once it got idle blocks back. True if the bytes come out right.
bool use_gpus() {
  static const Storage& here = *new Storage(numbered(9 * mib + 5));
  Storage there = Storage::allocate(here.bytes(), cuda());
  copy_bytes(there, here);
  Storage other, back = Storage::allocate(here.bytes());
  in_thread([&] {
    other = copied_to(there, cuda(1));
    copy_bytes(there, other);
  });
  copy_bytes(back, there);
  other = there = Storage();
  const Storage large = Storage::allocate(20 * mib, cuda());
  return std::memcmp(here.data(), back.data(), here.bytes()) == 0;
}

// Fails the call after `calls` others, of the first use of the GPUs or of a later one; false if
// there were not so many.
bool fails(int calls, bool is_first) {
  fake_cuda::Machine machine(2, 24 * mib);
  if (!is_first) use_gpus();
  bool thrown = false;
  machine.fail_after(calls);
  try {
    use_gpus();
  } catch (const DeviceError&) {
    thrown = true;
  }
  const bool failed = machine.calls_until_failure <= 0;
  machine.calls_until_failure = 0;
  // Queries whose failure is harmless, such as that of an event, may fail silently.
  CHECK((failed || !thrown));
  CHECK(use_gpus());
  for (const int index : {0, 1}) {
    CHECK(memory_stats(cuda(index)).live_bytes == 0);
    release_idle_memory(cuda(index));
  }
  CHECK(machine.memory.empty());
  CHECK_FALSE(machine.freed_too_early);
  CHECK(machine.pinned.size() <= CudaStagingPool::max_buffers);
  machine.remove();
  CHECK(machine.pinned.empty());
  CHECK(machine.live_events == 0);
  CHECK(machine.live_streams == 0);
  return failed;
}

}  // namespace

TEST_CASE("driver failures: each call fails in turn, and nothing is lost") {
  for (const bool is_first : {true, false}) {
    int calls = 0;
    while (fails(calls, is_first)) ++calls;
    CHECK(calls >= 50);
  }
}
