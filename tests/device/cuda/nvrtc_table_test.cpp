#include <doctest/doctest.h>

#include <sinter/device/cuda/nvrtc_table.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("nvrtc: all functions are loaded, or there is a reason") {
  const Nvrtc* const table = nvrtc();
  if (table == nullptr) {
    MESSAGE("skipped: " << nvrtc_missing());
    CHECK(nvrtc_missing() != "");
    return;
  }

  int major = 0, minor = 0;
  REQUIRE(table->version(&major, &minor) == 0);
  CHECK(major >= 11);
  CHECK(nvrtc_missing() == "");
}

TEST_CASE("nvrtc: an emulator can take its place") {
  Nvrtc emulator{};
  emulator.version = [](int* major, int* minor) {
    *major = 77;
    *minor = 0;
    return 0;
  };

  const Nvrtc* const before = replace_nvrtc(&emulator);
  CHECK(nvrtc() == &emulator);
  CHECK(nvrtc_missing() == "");
  replace_nvrtc(before);

  CHECK(nvrtc() != &emulator);
}
