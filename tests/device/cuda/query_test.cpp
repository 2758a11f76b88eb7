#include <doctest/doctest.h>

#include <string>

#include <sinter/base/error.hpp>
#include <sinter/device/cuda/nvrtc_table.hpp>
#include <sinter/device/cuda/query.hpp>

#include "message_of.hpp"

using namespace sinter;
using namespace sinter::detail;

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

using errors::message_of;

}  // namespace

TEST_CASE("cuda: the architecture of a GPU is what NVRTC calls it") {
  const CudaDriver driver = emulated_driver();
  const ScopedDriver scoped(&driver);

  CHECK(cuda_device_count() == 2);
  CHECK(cuda_architecture(cuda(1)) == "sm_90");
}

TEST_CASE("cuda: a missing GPU is a DeviceError with the user's line") {
  const CudaDriver driver = emulated_driver();
  const ScopedDriver scoped(&driver);

  const std::string message = message_of([] { cuda_architecture(cuda(2)); });

  CHECK(message.find("cuda:2: there is no such GPU") == 0);
  CHECK(message.find("found 2 GPUs") != std::string::npos);
  CHECK(message.find("query_test.cpp:") != std::string::npos);
}

TEST_CASE("cuda: a device is present, or a DeviceError has the reason") {
  const CudaDriver driver = emulated_driver();
  const ScopedDriver scoped(&driver);

  require_present(cpu());
  require_present(cuda(1));

  const std::string message = message_of([] { require_present(cuda(-1)); });
  CHECK(message.find("cuda:-1: there is no such GPU") == 0);
  CHECK(message_of([] { cuda_architecture(cpu()); }).find("cpu: it is not a GPU") == 0);
}

TEST_CASE("cuda: a failed driver call is a DeviceError with call, number, message and line") {
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

TEST_CASE("cuda: a GPU runs operations if it and NVRTC are present and it is new enough") {
  require_runnable(cpu());
  CHECK(why_not_runnable(cpu()) == "");
  CudaDriver driver = emulated_driver();
  const ScopedDriver scoped(&driver);

  CHECK(why_not_runnable(cuda(2)) == "this machine has 2 GPUs");
  const std::string far = message_of([] { require_runnable(cuda(7)); });
  CHECK(far.find("GPUs") == far.rfind("GPUs"));  // it says so once
  CHECK(far.find("reason this machine has 2 GPUs") != std::string::npos);
  CHECK(far.find("see   docs/errors.md#devices") != std::string::npos);
  CHECK(far.find("fix   use cuda(0) to cuda(1), or cpu()") != std::string::npos);
  CHECK(why_not_runnable(cuda(1)) == nvrtc_missing());
  driver.device_count = [](int* count) { return *count = 1, 0; };
  CHECK(why_not_runnable(cuda(2)) == "this machine has 1 GPU");
  driver.device_attribute = [](int* value, int attribute, int) {
    return *value = attribute == 75 ? 7 : 5, 0;
  };
  const Nvrtc compiler{};
  const Nvrtc* const before = replace_nvrtc(&compiler);
  CHECK(why_not_runnable(cuda(0)) == "it is sm_75, and kernels need sm_80");
  const std::string message = message_of([] { require_runnable(cuda()); });
  replace_nvrtc(before);

  CHECK(message.find("cuda:0: this machine cannot run operations on it") == 0);
  CHECK(message.find("reason it is sm_75") != std::string::npos);
  CHECK(message.find("fix   use cpu()") != std::string::npos);
}

TEST_CASE("cuda: long argument lists need support of driver and NVRTC") {
  static int version = 0, minor = 0;
  CudaDriver driver = emulated_driver();
  driver.version = [](int* result) { return *result = version, 0; };
  Nvrtc compiler{};
  compiler.version = [](int* major, int* result) { return *major = 12, *result = minor, 0; };
  const ScopedDriver scoped(&driver);
  const Nvrtc* const before = replace_nvrtc(&compiler);
  const auto bytes = [&](int driver_version, int compiler_minor) {
    version = driver_version, minor = compiler_minor;
    return most_argument_bytes();
  };
  CHECK(bytes(12010, 1) == 32764);
  CHECK(bytes(13000, 8) == 32764);
  CHECK(bytes(12000, 1) == 4096);
  CHECK(bytes(13000, 0) == 4096);
  CHECK(bytes(11080, 0) == 4096);
  replace_nvrtc(before);
}

TEST_CASE("cuda: without a driver only the host runs operations") {
  if (cuda_driver() != nullptr) return;
  CHECK(why_not_runnable(cuda()) == cuda_missing());
}

TEST_CASE("cuda: the facts name the driver and each GPU") {
  CudaDriver driver = emulated_driver();
  driver.version = [](int* version) { return *version = 12040, 0; };
  driver.device_name = [](char* name, int, int) { return name[0] = 'H', name[1] = '\0', 0; };
  driver.device_memory = [](std::size_t* bytes, int number) {
    return *bytes = std::size_t{80} << 30, number;  // the second does not answer
  };
  const ScopedDriver scoped(&driver);
  const GpuFacts facts = cuda_facts();
  CHECK(facts.driver == "CUDA 12.4");
  CHECK(facts.why_no_driver == "");
  REQUIRE(facts.gpus.size() == 2);
  CHECK(facts.gpus[0] == "H, sm_90, 80.0 GiB");
  CHECK(facts.gpus[1] == "a GPU that does not answer");
  CHECK(facts.compiler.empty() == !facts.why_no_compiler.empty());
}
