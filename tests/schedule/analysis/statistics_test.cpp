#include <doctest/doctest.h>
#include <sinter/schedule/analysis/statistics.hpp>
#include <sinter/schedule/ir/plan.hpp>

#include "handwritten_kernels.hpp"

using namespace sinter;
using namespace sinter::detail::schedule;
using namespace handwritten_kernels;

namespace {

Launch measured(const Kernel& kernel) {
  Launch launch;
  measure(kernel, launch);
  return launch;
}

}  // namespace

TEST_CASE("statistics: bytes count each element once") {
  const Launch plain = measured(sine(8, 4, 4, 1)), repeated = measured(sine(8, 4, 0, 1));
  CHECK(to_string(plain.bytes_read) == "128");
  CHECK(to_string(plain.bytes_written) == "128");
  CHECK(to_string(repeated.bytes_read) == "16");
}

TEST_CASE("statistics: two loads of one element are counted once") {
  Kernel kernel = sine(8, 4, 4, 1);
  kernel.instructions.insert(kernel.instructions.begin() + 1, kernel.instructions[0]);
  kernel.instructions[2].operands = {1};
  kernel.instructions[3].operands = {2};
  kernel.stages[0].body = {0, 1, 2, 3};
  CHECK(to_string(measured(kernel).bytes_read) == "128");
}

TEST_CASE("statistics: work is the number of innermost iterations, also of symbolic sizes") {
  CHECK(to_string(measured(sine(8, 4, 4, 1)).work) == "32");
  CHECK(to_string(measured(row_sum(Extent::symbol(0), 4)).work) == "5*s0");
  CHECK(to_string(measured(row_sum(Extent::symbol(0), 4)).bytes_read) == "16*s0");
}

TEST_CASE("statistics: lines of the user are listed once each, in order") {
  Kernel kernel = sine(8, 4, 4, 1);
  const Where first = Where::current();
  const Where second = Where::current();
  kernel.instructions[0].where = first;
  kernel.instructions[1].where = second;
  kernel.instructions[2].where = first;
  const Launch launch = measured(kernel);
  REQUIRE(launch.lines.size() == 2);
  CHECK(launch.lines[0].line() == first.line());
  CHECK(launch.lines[1].line() == second.line());
  CHECK(launch.checks.empty());
}
