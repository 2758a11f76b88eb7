#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/device/host/allocation_failure.hpp>
#include <sinter/device/host/storage.hpp>

#include <string>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("allocation_failure: one allocation fails, those before and after it do not") {
  const auto before = memory_stats().live_bytes;
  {
    const ScopedAllocationFailure failure(2);
    const Storage first = Storage::allocate(100), second = Storage::allocate(100);
    CHECK_FALSE(failure.happened());
    CHECK_THROWS_AS(Storage::allocate(100), ValueError);
    CHECK(failure.happened());
    CHECK(Storage::allocate(100));
  }
  CHECK(memory_stats().live_bytes == before);
  const ScopedAllocationFailure unused(0);
  CHECK_FALSE(unused.happened());
}

TEST_CASE("allocation_failure: ends with its scope") {
  { const ScopedAllocationFailure failure(0); }
  CHECK(Storage::allocate(1));
}

TEST_CASE("allocation_failure: the error names size, purpose, what is in use, line and a way out") {
  const Storage held = Storage::allocate(1000);
  const ScopedAllocationFailure failure(0);
  const Where here = Where::current();
  try {
    Storage::allocate(123, cpu(), here, "a test");
    FAIL_CHECK("nothing was thrown");
  } catch (const ValueError& error) {
    const std::string report = error.what();
    CHECK(report.find("allocate: not enough memory\n  asked 123 bytes\n  for   a test\n") == 0);
    CHECK(report.find("  in use " + std::to_string(memory_stats().live_bytes)) !=
          std::string::npos);
    CHECK(report.find("  fix   ") != std::string::npos);
    CHECK(report.find(to_string(here)) != std::string::npos);
  }
}
