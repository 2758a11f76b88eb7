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

TEST_CASE("steady: an argument is steady if it is an input that nothing updates, in all launches") {
  Plan plan = chain();
  mark_steady(plan, {});
  const auto& arguments = plan.kernels[0].arguments;
  CHECK_FALSE(arguments[0].steady);
  CHECK(arguments[1].steady);
  CHECK_FALSE(arguments[2].steady);
  const Update update{1, 0};
  mark_steady(plan, {&update, 1});
  CHECK_FALSE(arguments[1].steady);
}

TEST_CASE("steady: a kernel that sums nothing in tiles has no steady arguments") {
  Plan plan = chain();
  plan.kernels[0].grid.back().unroll = 1;
  mark_steady(plan, {});
  CHECK_FALSE(plan.kernels[0].arguments[1].steady);
}
