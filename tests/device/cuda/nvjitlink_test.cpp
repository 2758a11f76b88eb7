// test: alone
#include <doctest/doctest.h>

#include <sinter/device/cuda/nvjitlink.hpp>
#if __has_include(<nvJitLink.h>)
#include <nvJitLink.h>
#endif

using namespace sinter;
using namespace sinter::detail;

#if __has_include(<nvJitLink.h>)
static_assert(int{NvJitLink::cubin_input} == int{NVJITLINK_INPUT_CUBIN});
static_assert(int{NvJitLink::library_input} == int{NVJITLINK_INPUT_LIBRARY});
#endif

TEST_CASE("nvjitlink: all functions are loaded, or there is a reason") {
  const NvJitLink* const table = nvjitlink();
  if (table == nullptr) {
    MESSAGE("skipped: " << nvjitlink_missing());
    CHECK(nvjitlink_missing() != "");
    return;
  }
  NvJitLink::Linker linker = nullptr;
  const char* options[] = {"-arch=sm_90"};
  REQUIRE(table->create(&linker, 1, options) == 0);
  CHECK(table->add_data(linker, NvJitLink::cubin_input, "no cubin", 8, "text") != 0);
  CHECK(table->destroy(&linker) == 0);
  CHECK(nvjitlink_missing() == "");
}

TEST_CASE("nvjitlink: an emulator can take its place, and has a library for it") {
  const NvJitLink emulator{};
  const NvJitLink* const before = replace_nvjitlink(&emulator);
  CHECK(nvjitlink() == &emulator);
  CHECK(nvjitlink_missing() == "");
  CHECK(device_runtime_library() == "libcudadevrt.a");
  replace_nvjitlink(before);
  CHECK(nvjitlink() != &emulator);
}
