#include <doctest/doctest.h>
#include <sinter/schedule/launch/call_invariant.hpp>

using namespace sinter;
using namespace sinter::detail::schedule;

namespace {

// A product of inputs 0 and 1, and one of its result and input 1.
Plan chain() {
  Kernel product;
  product.arguments = {{f32, Access::read, 4}, {f32, Access::read, 4}, {f32, Access::write, 4}};
  product.grid.push_back({0, 4, 4});
  Plan plan;
  plan.kernels.push_back(product);
  plan.buffers = {{f32, 4, Home::input, 0},
                  {f32, 4, Home::input, 1},
                  {f32, 4, Home::output, 0},
                  {f32, 4, Home::arena}};
  plan.launches.resize(2);
  plan.launches[0].buffers = {0, 1, 3};
  plan.launches[1].buffers = {3, 1, 2};
  return plan;
}

}  // namespace

TEST_CASE("call-invariant: arguments that are inputs which nothing updates, in all launches") {
  Plan plan = chain();
  mark_call_invariant(plan, {});
  const auto& arguments = plan.kernels[0].arguments;
  CHECK_FALSE(arguments[0].call_invariant);
  CHECK(arguments[1].call_invariant);
  CHECK_FALSE(arguments[2].call_invariant);
  const Update update{1, 0};
  mark_call_invariant(plan, {&update, 1});
  CHECK_FALSE(arguments[1].call_invariant);
}

TEST_CASE("call-invariant: a kernel without a register tile has no such arguments") {
  Plan plan = chain();
  plan.kernels[0].grid.back().unroll = 1;
  mark_call_invariant(plan, {});
  CHECK_FALSE(plan.kernels[0].arguments[1].call_invariant);
}
