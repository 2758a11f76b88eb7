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

TEST_CASE("cuda: a device is there, or a DeviceError says why it is not") {
  const CudaDriver driver = emulated_driver();
  const ScopedDriver scoped(&driver);

  require_present(cpu());
  require_present(cuda(1));

  const std::string message = message_of([] { require_present(cuda(-1)); });
  CHECK(message.find("cuda:-1: there is no such GPU") == 0);
  CHECK(message_of([] { cuda_architecture(cpu()); }).find("cpu: it is not a GPU") == 0);
}

TEST_CASE("cuda: a result of the driver is a DeviceError with call, number, words and line") {
  CudaDriver driver = emulated_driver();
  driver.error_name = [](int, const char** words) { return *words = "CUDA_ERROR_BAD", 0; };
  driver.error_string = [](int, const char** words) { return *words = "bad thing", 0; };
  const ScopedDriver scoped(&driver);
  const Where here = Where::current();

  cuda_check(0, "cuInit", cuda(), here);
  const std::string message = message_of([&] { cuda_check(999, "cuMemAlloc", cuda(1), here); });

  CHECK(message ==
        "cuda:1: the CUDA driver reports an error\n  call  cuMemAlloc\n"
        "  error CUDA_ERROR_BAD 999\n  text  bad thing\n  at    " +
            to_string(here));
}

TEST_CASE("cuda: only the host runs operations in this version") {
  require_runnable(cpu());

  const std::string message = message_of([] { require_runnable(cuda()); });

  CHECK(message.find("cuda:0: this version does not run on GPUs yet") == 0);
  CHECK(message.find("fix   use cpu()") != std::string::npos);
}
