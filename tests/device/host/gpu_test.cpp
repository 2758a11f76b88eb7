#include <doctest/doctest.h>

#include <string>

#include <sinter/device/host/copy.hpp>
#include <sinter/device/host/gpu.hpp>
#include <sinter/device/host/scoped_device.hpp>
#include <sinter/device/host/storage.hpp>

#include "message_of.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

// A program without code for GPUs.
struct WithoutGpus {
  WithoutGpus() { gpu_backend() = nullptr; }
  WithoutGpus(const WithoutGpus&) = delete;
  WithoutGpus& operator=(const WithoutGpus&) = delete;
  ~WithoutGpus() { gpu_backend() = before; }
  const GpuBackend* before = gpu_backend();
};

using errors::message_of;

}  // namespace

TEST_CASE("gpu: without a backend there is no GPU, and errors say how to get one") {
  const WithoutGpus without;
  CHECK(cuda_device_count() == 0);
  CHECK(counted_gpus() == "0 GPUs");
  CHECK(why_not_runnable(cpu()) == "");
  CHECK(why_not_runnable(cuda()) == "this program is built without code for GPUs");
  CHECK(way_to_run(cuda()) ==
        "use cpu(), or include <sinter/gpu.hpp> in one file of a header-only program, or build all "
        "of it without -DSINTER_CUDA=0 (in CMake, with SINTER_CUDA=ON)");
}

TEST_CASE("gpu: without a backend every use of a GPU is an error at the line of the user") {
  const WithoutGpus without;
  const Storage host = Storage::allocate(16);
  const auto check = [](const std::string& message) {
    INFO(message);
    CHECK(message.find("cuda:0: ") == 0);
    CHECK(message.find("built without code for GPUs") != std::string::npos);
    CHECK(message.find("include <sinter/gpu.hpp>") != std::string::npos);
    CHECK(message.find("gpu_test.cpp:") != std::string::npos);
  };
  check(message_of([] { require_runnable(cuda()); }));
  check(message_of([] { synchronize(cuda()); }));
  check(message_of([] { const ScopedDevice scope(cuda()); }));
  check(message_of([] { Storage::allocate(16, cuda()); }));
  check(message_of([] { memory_stats(cuda()); }));
  check(message_of([] { reset_memory_stats(cuda()); }));
  check(message_of([] { release_idle_memory(cuda()); }));
  check(message_of([&] { copied_to(host, cuda()); }));
}

TEST_CASE("gpu: without a backend the host works as ever") {
  const WithoutGpus without;
  require_runnable(cpu());
  synchronize(cpu());
  const ScopedDevice scope(cpu());
  CHECK(Storage::allocate(16).device() == cpu());
  CHECK(memory_stats().live_bytes >= 0);
}
