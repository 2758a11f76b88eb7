#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/schedule/ir/plan.hpp>

#include "handwritten_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

// One launch, of a kernel that reads the input and writes the output.
Plan one_launch() {
  Plan plan;
  plan.kernels = {handwritten_kernels::sine(8, 4, 4, 1)};
  plan.buffers = {{f32, 32, Home::input, 0}, {f32, 32, Home::output, 0}};
  plan.inputs = {0};
  plan.outputs = {1};
  plan.launches.resize(1);
  plan.launches[0].buffers = {0, 1};
  return plan;
}

}  // namespace

TEST_CASE("plan: prints kernels, buffers and launches") {
  const Plan plan = one_launch();
  CHECK(to_string(plan) == to_string(plan.kernels[0]) +
                               "b0: f32[32] input 0\n"
                               "b1: f32[32] output 0\n"
                               "sin_f32(b0, b1) reads 0, writes 0\n"
                               "inputs [0], outputs [1], arena 0\n");
}

TEST_CASE("plan: each buffer is written before it is read, and no input is written") {
  CHECK_NOTHROW(verify(one_launch()));
  Plan plan = one_launch();
  plan.launches[0].buffers = {1, 1};
  CHECK_THROWS_AS(verify(plan), InternalError);
  plan.launches[0].buffers = {0, 0};
  CHECK_THROWS_AS(verify(plan), InternalError);
  plan.launches[0].buffers = {0};
  CHECK_THROWS_AS(verify(plan), InternalError);
}

TEST_CASE("plan: the kernels of a batched launch are those of its entries, each once") {
  Launch launch;
  launch.kernel = 2;
  CHECK(kernels_of(launch) == Vector<std::int32_t>{2});
  launch.entries = {{.kernel = 2}, {.kernel = 1}, {.kernel = 2}};
  CHECK(kernels_of(launch) == Vector<std::int32_t>{2, 1});
  Plan plan = one_launch();
  plan.bodies = {one_launch()};
  CHECK(kernel_launches(plan).size() == 2);
}
