#include <doctest/doctest.h>
#include <sinter/device/cuda/submission.hpp>

#include <functional>
#include <thread>

#include "device/fake_cuda.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

// Submits work that reads and writes the given memory (null for none) to the stream of this thread.
void give(const Storage* read, const Storage* written, std::function<void()> body) {
  CudaSubmission work(cuda());
  if (read != nullptr) work.reads(*read);
  if (written != nullptr) work.writes(*written);
  fake_cuda::launch(work.stream().handle, std::move(body));
}

void on_another_thread(const std::function<void()>& body) { std::thread(body).join(); }

void on_two_threads(const std::function<void()>& first, const std::function<void()>& second) {
  std::thread inner;
  std::thread outer([&] {
    first();
    inner = std::thread(second);  // while the first lives, so that they have two streams
    inner.join();
  });
  outer.join();
}

}  // namespace

TEST_CASE("submission: a reader runs after the writer, on any thread") {
  fake_cuda::Machine machine;
  const Storage memory = Storage::allocate(64, cuda());
  int value = 0, seen = -1;
  on_two_threads([&] { give(nullptr, &memory, [&] { value = 5; }); },
                 [&] {
                   give(&memory, nullptr, [&] { seen = value; }),
                       synchronize(CudaContext::of(cuda()).stream({}), {});
                 });
  CHECK(seen == 5);
}

TEST_CASE("submission: a writer runs after all readers") {
  fake_cuda::Machine machine;
  const Storage memory = Storage::allocate(64, cuda());
  int value = 1, seen = -1, also_seen = -1;
  give(&memory, nullptr, [&] { also_seen = value; });
  on_two_threads([&] { give(&memory, nullptr, [&] { seen = value; }); },
                 [&] {
                   CudaSubmission work(cuda());
                   work.writes(memory);
                   fake_cuda::launch(work.stream().handle, [&] { value = 2; });
                   work.wait();
                 });
  CHECK(value == 2);
  CHECK(seen == 1);
  CHECK(also_seen == 1);
}

TEST_CASE("submission: readers do not wait for each other, nor a thread for itself") {
  fake_cuda::Machine machine;
  const Storage memory = Storage::allocate(64, cuda());
  for (int i = 0; i < 3; ++i) {
    give(&memory, &memory, [] {});
    give(&memory, nullptr, [] {});
  }
  CHECK(machine.calls("wait_event") == 0);
  for (int i = 0; i < 3; ++i) {
    on_another_thread([&] { give(&memory, nullptr, [] {}); });  // waits for the last write, once
    give(&memory, nullptr, [] {});
  }
  CHECK(machine.calls("wait_event") == 1);
}

TEST_CASE("submission: an event that another thread records too early is recorded again") {
  fake_cuda::Machine machine;
  const Storage first = Storage::allocate(64, cuda()), second = Storage::allocate(64, cuda());
  give(nullptr, &first, [] {});
  int value = 0, seen = -1;
  {
    CudaSubmission work(cuda());
    work.writes(second);
    on_another_thread([&] { give(&first, nullptr, [] {}); });  // knows nothing of what follows
    fake_cuda::launch(work.stream().handle, [&] { value = 3; });
  }
  on_another_thread([&] {
    give(&second, nullptr, [&] { seen = value; });
    synchronize(CudaContext::of(cuda()).stream({}), {});
  });
  CHECK(seen == 3);
}

TEST_CASE("submission: the same with nested submissions") {
  fake_cuda::Machine machine;
  const Storage first = Storage::allocate(64, cuda()), second = Storage::allocate(64, cuda());
  int value = 0, seen = -1;
  {
    CudaSubmission work(cuda());
    work.writes(second);
    give(nullptr, &first, [] {});
    on_another_thread([&] { give(&first, nullptr, [] {}); });
    fake_cuda::launch(work.stream().handle, [&] { value = 3; });
  }
  on_another_thread([&] {
    give(&second, nullptr, [&] { seen = value; });
    synchronize(CudaContext::of(cuda()).stream({}), {});
  });
  CHECK(seen == 3);
}

TEST_CASE("submission: waits on the host for submitted work") {
  fake_cuda::Machine machine;
  bool ran = false;
  CudaSubmission work(cuda());
  fake_cuda::launch(work.stream().handle, [&] { ran = true; });
  CHECK_FALSE(ran);
  work.wait();
  CHECK(ran);
}
