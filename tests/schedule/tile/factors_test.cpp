#include <doctest/doctest.h>
#include <sinter/schedule/tile/factors.hpp>

#include "lowered.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using lowered_programs::lowered;
using lowered_programs::product;
using programs::Program;

TEST_CASE("factors: each depends on its own axis of the result, and both on the sum") {
  Program p;
  const Value x = p.input({32, 5}), y = p.input({5, 7});
  const auto kernels = lowered(p, {product(p, x, y)});
  REQUIRE(kernels.size() == 1);
  const Kernel& kernel = kernels[0].kernel;
  REQUIRE(kernel.grid.size() == 2);
  const Extent row = kernel.grid[0].variable, column = kernel.grid[1].variable;
  const Vector<ValueId> factors = schedule::detail::factors_of(kernel);
  REQUIRE(factors.size() == 2);
  CHECK(schedule::varies_along(kernel, factors[0], row));
  CHECK_FALSE(schedule::varies_along(kernel, factors[1], row));
  CHECK(schedule::varies_along(kernel, factors[1], column));
  const std::int32_t left = schedule::detail::argument_of(kernels[0], x.node);
  CHECK(schedule::detail::depends_on_argument(kernel, factors[0], left));
  CHECK_FALSE(schedule::detail::depends_on_argument(kernel, factors[1], left));
  CHECK(schedule::detail::is_column_loop(kernel, column));
  CHECK_FALSE(schedule::detail::is_column_loop(kernel, row));
}
