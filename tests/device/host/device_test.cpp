#include <doctest/doctest.h>

#include <sinter/device/host/device.hpp>

using namespace sinter;

TEST_CASE("device: prints as the user would name it") {
  CHECK(to_string(cpu()) == "cpu");
  CHECK(to_string(cuda()) == "cuda:0");
  CHECK(to_string(cuda(3)) == "cuda:3");
}

TEST_CASE("device: is a value, equal by kind and number") {
  CHECK(Device() == cpu());
  CHECK(cuda() == cuda(0));
  CHECK(cuda(0) != cuda(1));
  CHECK(cuda(0) != cpu());
  static_assert(cuda(2).index() == 2 && cuda(2).is_cuda() && !cuda(2).is_cpu());
}
