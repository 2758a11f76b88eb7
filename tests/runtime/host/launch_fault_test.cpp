#include <doctest/doctest.h>

#include <string>

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/runtime/host/launch_fault.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

// A launch whose kernel divides, then gathers, at `here`.
schedule::Launch checked_launch(Where here) {
  schedule::Launch launch;
  launch.checks = {{.code = schedule::Code::divisor, .op = Op::remainder, .dtype = i32},
                   {.code = schedule::Code::bind, .op = Op::gather}};
  for (schedule::Check& check : launch.checks) check.called.where = here;
  return launch;
}

}  // namespace

TEST_CASE("launch_fault: the number of a fault says which check failed, and on which line") {
  const Where here = Where::current();
  const schedule::Launch launch = checked_launch(here);
  const auto says = [&](const UserError& error, const std::string& words) {
    const std::string report = error.what();
    return report.find(words) != report.npos && report.find(to_string(here)) != report.npos;
  };
  try {
    runtime::throw_fault(launch, {.number = 1, .position = 3});
  } catch (const ValueError& error) {
    CHECK(says(error, "0 at the row-major position 3"));
  }
  try {
    runtime::throw_fault(launch, {.number = 2, .value = 7, .bound = 5, .position = 4});
  } catch (const IndexError& error) {
    CHECK(says(error, "index 7, at the row-major position 4"));
  }
  CHECK_THROWS_AS(runtime::throw_fault(launch, {.number = 1}), ValueError);
  CHECK_THROWS_AS(runtime::throw_fault(launch, {.number = 2, .value = 7, .bound = 5}), IndexError);
}
