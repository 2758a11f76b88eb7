#include <doctest/doctest.h>
#include <sinter/base/container/function_ref.hpp>
#include <sinter/schedule/loop/factor.hpp>
#include <sinter/symbol/solve/variables.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

// out[r] = in[index(r)] for r < extent
Kernel copied(Extent extent, FunctionRef<Extent(Extent)> index) {
  Kernel kernel;
  kernel.name = "copied";
  kernel.arguments = {{f32, Access::read, extent}, {f32, Access::write, extent}};
  const Extent r = Extent::range(0, extent);
  kernel.grid = {{r, extent, 1}};
  for (const Extent symbol : variables(extent)) kernel.symbols.push_back(symbol);
  Instruction load{.code = Code::load, .op = Op::input, .dtype = f32};
  load.argument = 0;
  load.index = index(r);
  Instruction store{.code = Code::store, .dtype = f32};
  store.argument = 1;
  store.index = r;
  store.operands = {0};
  kernel.instructions = {load, store};
  kernel.stages.push_back({{}, {0, 1}});
  return kernel;
}

Kernel factored(Kernel kernel) {
  factor_loops(kernel);
  verify(kernel);
  return kernel;
}

}  // namespace

TEST_CASE("factor: a loop that accesses divide by a divisor of its extent is split") {
  const Kernel kernel = factored(copied(96, [](Extent r) { return r % 16 * 6 + r / 16; }));
  REQUIRE(kernel.grid.size() == 2);
  CHECK(same(kernel.grid[0].extent, 6));
  CHECK(same(kernel.grid[1].extent, 16));
  const Extent outer = kernel.grid[0].variable, inner = kernel.grid[1].variable;
  CHECK(same(kernel.instructions[0].index, inner * 6 + outer));
  CHECK(same(kernel.instructions[1].index, outer * 16 + inner));
}

TEST_CASE("factor: three axes become three loops, sizes may be symbols") {
  const Extent n = Extent::symbol(0, {.min = 0});
  const Kernel kernel = factored(
      copied(n * 8 * 16, [](Extent r) { return r / 128 * 128 + r % 16 * 8 + r / 16 % 8; }));
  REQUIRE(kernel.grid.size() == 3);
  CHECK(same(kernel.grid[0].extent, n));
  CHECK(same(kernel.grid[1].extent, 8));
  CHECK(same(kernel.grid[2].extent, 16));
}

TEST_CASE("factor: a loop that accesses divide by a small number is split by the remainder") {
  Kernel kernel = copied(96, [](Extent r) { return (r + 1) / 2; });
  split_phases(kernel);
  verify(kernel);
  REQUIRE(kernel.grid.size() == 2);
  const Extent phase = kernel.grid[0].variable, inner = kernel.grid[1].variable;
  CHECK(same(kernel.grid[0].extent, 2));
  CHECK(same(kernel.grid[1].extent, 48));
  CHECK(same(kernel.instructions[0].index, inner + (phase + 1) / 2));
  CHECK(same(kernel.instructions[1].index, inner * 2 + phase));
  CHECK(kernel.instructions[1].guards.empty());
}

TEST_CASE("factor: phases of a loop with a remainder are guarded, also if its size is a symbol") {
  for (const Extent extent : {Extent(55), Extent::symbol(0, {.min = 0})}) {
    Kernel kernel = copied(extent, [](Extent r) { return (r + 1) / 2; });
    split_phases(kernel);
    verify(kernel);
    REQUIRE(kernel.grid.size() == 2);
    CHECK(same(kernel.grid[1].extent, ceil_div(extent, 2)));
    REQUIRE(kernel.instructions[1].guards.size() == 1);
    CHECK(same(kernel.instructions[1].guards[0].value, kernel.instructions[1].index));
    CHECK(same(kernel.instructions[1].guards[0].high, extent));
    CHECK(kernel.instructions[0].guards.size() == 1);
  }
}

TEST_CASE("factor: short loops, and divisions that would stay, have no phases") {
  const auto loops = [](Kernel kernel) {
    split_phases(kernel);
    return kernel.grid.size();
  };
  CHECK(loops(copied(12, [](Extent r) { return (r + 1) / 2; })) == 1);
  CHECK(loops(copied(96, [](Extent r) { return (r + 1) / 16; })) == 1);
  CHECK(loops(copied(96, [](Extent r) { return (r + 1) / 2 + r / 3; })) == 1);
}

TEST_CASE("factor: short rows and divisors with a remainder keep one loop") {
  CHECK(factored(copied(96, [](Extent r) { return r % 4 * 24 + r / 4; })).grid.size() == 1);
  CHECK(factored(copied(100, [](Extent r) { return r % 16 + r / 16; })).grid.size() == 1);
}
