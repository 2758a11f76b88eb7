#include <doctest/doctest.h>

#include <string>

#include <sinter/device/cuda_driver.hpp>

using namespace sinter;

TEST_CASE("cuda_driver: a machine without a driver says why") {
  if (cuda_driver() != nullptr) return;
  CHECK(cuda_missing().find("CUDA driver") != std::string::npos);
}

TEST_CASE("cuda_driver: an emulator can take its place") {
  const CudaDriver emulator{};

  const CudaDriver* const before = replace_cuda_driver(&emulator);
  CHECK(cuda_driver() == &emulator);
  CHECK(cuda_missing() == "");
  CHECK(replace_cuda_driver(before) == &emulator);

  CHECK(cuda_driver() != &emulator);
}

TEST_CASE("cuda_driver: the driver of this machine has a version, and all functions") {
  const CudaDriver* const driver = cuda_driver();
  if (driver == nullptr) {
    MESSAGE("skipped: " << cuda_missing());
    return;
  }
  int version = 0;
  REQUIRE(driver->version(&version) == 0);
  CHECK(version >= 11040);
}
