#include <doctest/doctest.h>

#include <string>

#include <sinter/base/error.hpp>
#include <sinter/device/cuda.hpp>

using namespace sinter;

namespace {

// A driver with two GPUs of compute capability 9.0.
CudaDriver emulated_driver() {
  CudaDriver driver{};
  driver.device_count = [](int* count) { return *count = 2, 0; };
  driver.device = [](int* device, int index) { return *device = index, 0; };
  driver.device_attribute = [](int* value, int attribute, int) {
    return *value = attribute == 75 ? 9 : 0, 0;
  };
  return driver;
}

struct ScopedDriver {
  explicit ScopedDriver(const CudaDriver* table) : before(replace_cuda_driver(table)) {}
  ~ScopedDriver() { replace_cuda_driver(before); }
  const CudaDriver* before;
};

std::string message_of(auto call) {
  try {
    call();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("cuda: a machine without a driver has no GPUs, and says why") {
  if (cuda_driver() != nullptr) return;

  CHECK(cuda_missing().find("CUDA driver") != std::string::npos);
  CHECK(cuda_device_count() == 0);
}

TEST_CASE("cuda: the architecture of a GPU is what NVRTC calls it") {
  const CudaDriver driver = emulated_driver();
  const ScopedDriver scoped(&driver);

  CHECK(cuda_device_count() == 2);
  CHECK(cuda_architecture(cuda(1)) == "sm_90");
}

TEST_CASE("cuda: a GPU that is not there is a DeviceError with the user's line") {
  const CudaDriver driver = emulated_driver();
  const ScopedDriver scoped(&driver);

  const std::string message = message_of([] { cuda_architecture(cuda(2)); });

  CHECK(message.find("cuda:2: there is no such GPU") == 0);
  CHECK(message.find("found 2 GPUs") != std::string::npos);
  CHECK(message.find("cuda_test.cpp:") != std::string::npos);
}

TEST_CASE("cuda: only the host runs operations in this version") {
  require_runnable(cpu());

  const std::string message = message_of([] { require_runnable(cuda()); });

  CHECK(message.find("cuda:0: this version does not run on GPUs yet") == 0);
  CHECK(message.find("fix   use cpu()") != std::string::npos);
}
