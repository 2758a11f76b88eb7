// test: emulator
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "emulator.hpp"
#include "program.hpp"

using namespace emulator;

namespace {

using Handle = void*;

struct Stream {
  explicit Stream(unsigned flags = sinter::detail::CudaDriver::stream_non_blocking) {
    check(driver().create_stream(&handle, flags), "create_stream");
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { driver().destroy_stream(handle); }
  Handle handle = nullptr;
};

struct Event {
  Event() { check(driver().create_event(&handle, 0), "create_event"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { driver().destroy_event(handle); }
  Handle handle = nullptr;
};

// A word in device memory.
struct Word {
  Word() : memory(1) {}
  void set(unsigned value, const Stream& stream) const {
    check(driver().set_words_async(memory.address(), value, 1, stream.handle), "set_words_async");
  }
  void copy(const Word& from, const Stream& stream) const {
    check(driver().copy_on_device_async(memory.address(), from.memory.address(), 4, stream.handle),
          "copy_on_device_async");
  }
  Buffer<unsigned> memory;
};

}  // namespace

TEST_CASE("streams: work is done in order, once somebody waits for it") {
  const Emulator machine;
  use_device(0);
  const Stream stream;
  const Word word;
  word.set(1, stream);
  word.set(2, stream);
  CHECK(driver().query_stream(stream.handle) == sinter::detail::CudaDriver::not_ready);
  CHECK(driver().synchronize_stream(stream.handle) == 0);
  CHECK(driver().query_stream(stream.handle) == 0);
  CHECK(word.memory.values()[0] == 2);
}

TEST_CASE("streams: whoever asks often enough finds the work done") {
  const Emulator machine;
  use_device(0);
  const Stream stream;
  const Event event;
  const Word word;
  word.set(1, stream);
  CHECK(driver().record_event(event.handle, stream.handle) == 0);
  int asked = 0;
  while (driver().query_event(event.handle) == sinter::detail::CudaDriver::not_ready) ++asked;
  CHECK(asked == 2);
  CHECK(word.memory.values()[0] == 1);
}

TEST_CASE("streams: what should wait for another stream and does not finds nothing") {
  Emulator machine;
  use_device(0);
  const Stream first, second;
  const Event event;
  const Word from, to;
  from.set(7, first);
  to.copy(from, second);
  CHECK(driver().synchronize() == 0);
  to.memory.values();
  const std::vector<std::string> reports = machine.reports();
  REQUIRE(reports.size() == 1);
  CHECK(contains(reports[0], "read of unwritten memory: a copy to the host"));

  from.set(8, first);
  CHECK(driver().record_event(event.handle, first.handle) == 0);
  CHECK(driver().wait_event(second.handle, event.handle, 0) == 0);
  to.copy(from, second);
  CHECK(driver().synchronize_stream(second.handle) == 0);
  CHECK(to.memory.values()[0] == 8);
}

TEST_CASE("streams: an event stands for the last time that it was recorded") {
  const Emulator machine;
  use_device(0);
  const Stream first, second;
  const Event event;
  const Word from, to;
  CHECK(driver().wait_event(second.handle, event.handle, 0) == 0);  // never recorded: no wait
  from.set(1, first);
  CHECK(driver().record_event(event.handle, first.handle) == 0);
  CHECK(driver().wait_event(second.handle, event.handle, 0) == 0);
  from.set(2, first);
  CHECK(driver().record_event(event.handle, first.handle) == 0);
  to.copy(from, second);
  CHECK(driver().synchronize_stream(second.handle) == 0);
  CHECK(to.memory.values()[0] == 1);
  CHECK(driver().synchronize() == 0);
}

TEST_CASE("streams: the default stream and those made to wait for it keep their order") {
  const Emulator machine;
  use_device(0);
  const Stream waits(0);
  const Word from, to;
  from.set(5, waits);
  CHECK(driver().copy_on_device_async(to.memory.address(), from.memory.address(), 4, nullptr) == 0);
  from.set(6, waits);
  CHECK(driver().synchronize() == 0);
  CHECK(to.memory.values()[0] == 5);
  CHECK(from.memory.values()[0] == 6);
}

TEST_CASE("streams: page-locked memory is read late, other memory at the call") {
  const Emulator machine;
  use_device(0);
  const Stream stream;
  const Word word;
  void* pinned = nullptr;
  CHECK(driver().allocate_host(&pinned, 4, 0) == 0);
  auto* const value = static_cast<unsigned*>(pinned);
  *value = 1;
  CHECK(driver().copy_to_device_async(word.memory.address(), value, 4, stream.handle) == 0);
  *value = 2;
  CHECK(driver().synchronize_stream(stream.handle) == 0);
  CHECK(word.memory.values()[0] == 2);
  CHECK(driver().free_host(pinned) == 0);
  {
    const std::vector<unsigned> local{3};
    CHECK(driver().copy_to_device_async(word.memory.address(), local.data(), 4, stream.handle) ==
          0);
  }
  unsigned result = 0;
  CHECK(driver().copy_to_host_async(&result, word.memory.address(), 4, stream.handle) == 0);
  CHECK(result == 3);
}

TEST_CASE("streams: page-locked memory that is freed before its copy is reported") {
  Emulator machine;
  use_device(0);
  const Stream stream;
  const Word word;
  void* pinned = nullptr;
  CHECK(driver().allocate_host(&pinned, 4, 0) == 0);
  CHECK(driver().copy_to_device_async(word.memory.address(), pinned, 4, stream.handle) == 0);
  CHECK(driver().free_host(pinned) == 0);
  CHECK(driver().synchronize_stream(stream.handle) == 700);
  REQUIRE(machine.reports().size() == 1);
}

TEST_CASE("streams: memory that is freed before its work is done is reported") {
  Emulator machine;
  use_device(0);
  const Stream stream;
  Word word;
  word.set(1, stream);
  word.memory.free();
  CHECK(driver().synchronize_stream(stream.handle) == 700);
  const std::vector<std::string> reports = machine.reports();
  REQUIRE(reports.size() == 1);
  CHECK(contains(reports[0], "use after free: a memset of 4 bytes at byte 0 of allocation 1"));
}

TEST_CASE("streams: in the eager order work is done at the call") {
  const Emulator machine({.order = Order::eager});
  use_device(0);
  const Stream first, second;
  const Word from, to;
  from.set(7, first);
  to.copy(from, second);
  CHECK(driver().query_stream(second.handle) == 0);
  CHECK(to.memory.values()[0] == 7);
}

TEST_CASE("streams: time between events") {
  const Emulator machine;
  use_device(0);
  const Stream stream;
  const Event start, end;
  float milliseconds = -1;
  CHECK(driver().elapsed(&milliseconds, start.handle, end.handle) == 400);
  driver().record_event(start.handle, stream.handle);
  driver().record_event(end.handle, stream.handle);
  CHECK(driver().elapsed(&milliseconds, start.handle, end.handle) == 600);
  CHECK(driver().synchronize_event(end.handle) == 0);
  CHECK(driver().elapsed(&milliseconds, start.handle, end.handle) == 0);
  CHECK(milliseconds == 0);
}

TEST_CASE("streams: what runs takes as long as the test says, and may be refused") {
  Emulator machine;
  use_device(0);
  const Program program(R"(extern "C" __global__ void nothing() {})");
  const Stream stream;
  const Event start, end;
  const auto launch = [&](unsigned blocks) {
    return driver().launch(program.function("nothing"), blocks, 1, 1, 32, 1, 1, 0, stream.handle,
                           nullptr, nullptr);
  };
  machine.set_times([](const Timed& one) {
    CHECK(one.kernel == "nothing");
    CHECK(one.threads == 32);
    return one.blocks == 7 ? std::int64_t{-1} : std::int64_t{1000} * one.blocks;
  });
  driver().record_event(start.handle, stream.handle);
  CHECK(launch(2) == 0);
  CHECK(launch(7) == 701);
  CHECK(launch(3) == 0);
  driver().record_event(end.handle, stream.handle);
  CHECK(driver().synchronize_event(end.handle) == 0);
  float milliseconds = -1;
  CHECK(driver().elapsed(&milliseconds, start.handle, end.handle) == 0);
  CHECK(milliseconds == doctest::Approx(0.005));
}

TEST_CASE("streams: nothing is done without a context, nor on handles that are none") {
  const Emulator machine;
  Handle handle = nullptr;
  std::uint64_t address = 0;
  CHECK(driver().create_stream(&handle, 0) == 201);
  CHECK(driver().create_event(&handle, 0) == 201);
  CHECK(driver().allocate(&address, 4) == 201);
  CHECK(driver().synchronize() == 201);
  use_device(0);
  int other = 0;
  CHECK(driver().synchronize_stream(&other) == 400);
  CHECK(driver().record_event(&other, nullptr) == 400);
  CHECK(driver().destroy_stream(&other) == 400);
}
