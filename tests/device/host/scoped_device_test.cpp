#include <doctest/doctest.h>

#include <sinter/base/error.hpp>
#include <sinter/device/host/scoped_device.hpp>

using namespace sinter;

TEST_CASE("ScopedDevice: names the device of this thread while it lives") {
  CHECK(current_device() == cpu());
  {
    const ScopedDevice outer(cpu());
    const ScopedDevice inner(cpu());
    CHECK(current_device() == cpu());
  }
  CHECK(current_device() == cpu());
}

TEST_CASE("ScopedDevice: refuses a device that cannot run operations, and changes nothing") {
  CHECK_THROWS_AS(ScopedDevice(cuda(99)), DeviceError);
  CHECK(current_device() == cpu());
}
