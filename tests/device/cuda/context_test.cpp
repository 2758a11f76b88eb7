#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/device/cuda/context.hpp>

#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "device/fake_cuda.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Counter final : CudaContextState {
  void close(const CudaDriver&) noexcept override { ++closed; }
  int value = 0;
  inline static int closed = 0;
};

}  // namespace

TEST_CASE("cuda_context: a GPU is opened once, and is current on each thread that uses it") {
  fake_cuda::Machine machine(2);

  CudaContext& first = CudaContext::of(cuda(0));
  CHECK(&CudaContext::of(cuda(0)) == &first);
  CHECK(&CudaContext::of(cuda(1)) != &first);
  std::thread([&] { CHECK(&CudaContext::of(cuda(0)) == &first); }).join();

  CHECK(machine.calls("retain_context") == 2);
  CHECK(machine.calls("set_context") == 4);
  CHECK(first.device() == cuda(0));
}

TEST_CASE("cuda_context: each thread has a stream of its own, which the next thread takes over") {
  fake_cuda::Machine machine;
  CudaContext& context = CudaContext::of(cuda());
  const CudaStream* other = nullptr;
  const CudaStream* next = nullptr;

  const CudaStream& mine = context.stream({});
  std::thread([&] { other = &CudaContext::of(cuda()).stream({}); }).join();
  std::thread([&] { next = &CudaContext::of(cuda()).stream({}); }).join();

  CHECK(&context.stream({}) == &mine);
  CHECK(other != &mine);
  CHECK(next == other);
  CHECK(machine.calls("create_stream") == 2);
}

TEST_CASE("cuda_context: a failure is a DeviceError with the call, the message and the line") {
  fake_cuda::Machine machine;
  machine.fail("create_stream", 700);
  const Where here = Where::current();
  std::string message;
  try {
    CudaContext::of(cuda()).stream(here);
  } catch (const DeviceError& error) {
    message = error.what();
  }
  CHECK(message.find("cuda:0: the CUDA driver reports an error\n  call  cuStreamCreate\n") == 0);
  CHECK(message.find("CUDA_ERROR_FAKE 700") != std::string::npos);
  CHECK(message.find("out of order") != std::string::npos);
  CHECK(message.find("compute-sanitizer") != std::string::npos);
  CHECK(message.find(to_string(here)) != std::string::npos);

  machine.fail("create_stream", 0);
  CHECK(CudaContext::of(cuda()).stream(here).handle != nullptr);
}

TEST_CASE("cuda_context: a missing GPU is a DeviceError") {
  fake_cuda::Machine machine(2);
  for (const int index : {-1, 2, 63, 64, 1000}) {
    CHECK_THROWS_AS(CudaContext::of(cuda(index)), DeviceError);
  }
}

TEST_CASE("cuda_context: a state is created once, and closed with the GPU") {
  Counter::closed = 0;
  {
    fake_cuda::Machine machine;
    CudaContext::of(cuda()).state<Counter>().value = 7;
    CHECK(CudaContext::of(cuda()).state<Counter>().value == 7);
    CHECK(Counter::closed == 0);
  }
  CHECK(Counter::closed == 1);
  const fake_cuda::Machine machine;
  CHECK(CudaContext::of(cuda()).state<Counter>().value == 0);
}

TEST_CASE("cuda_context: all objects are released before the driver is replaced") {
  fake_cuda::Machine machine;
  CudaContext& context = CudaContext::of(cuda());
  context.stream({});
  context.return_event(context.take_event({}));
  CHECK(machine.live_streams == 1);

  machine.remove();

  CHECK(machine.live_streams == 0);
  CHECK(machine.live_events == 0);
  CHECK(machine.calls("release_context") == 1);
}

TEST_CASE("cuda_context: a forked process cannot use the GPUs of its parent, and gets a reason") {
  const fake_cuda::Machine machine;
  CudaContext::of(cuda());
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    try {
      CudaContext::of(cuda());
      _exit(1);
    } catch (const DeviceError& error) {
      _exit(std::string(error.what()).find("forked") == std::string::npos ? 2 : 0);
    }
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}
