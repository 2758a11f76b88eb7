#include <doctest/doctest.h>

#include <stdexcept>

#include <sinter/compile/unit/module.hpp>

using namespace sinter::detail::compiler;

TEST_CASE("module: functions are found by number and by name") {
  int a = 0, b = 0;
  const sinter::detail::compiler::Module module(
      {{nullptr, "a", &a}, {nullptr, "b", &b}, {nullptr, "a", &a}}, {"a", "b", "c"},
      {.kernels_compiled = 2});

  CHECK(module.size() == 3);
  CHECK(module.function(1) == &b);
  CHECK(module.function(2) == &a);
  CHECK(module.symbol("b") == &b);
  CHECK(module.symbol("c") == &a);
  CHECK(module.symbol("d") == nullptr);
  CHECK(module.kernel(2).symbol == "a");
  CHECK(module.work().kernels_compiled == 2);
  CHECK_THROWS_AS(module.function(3), std::out_of_range);
}
