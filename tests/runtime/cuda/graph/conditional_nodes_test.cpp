// test: deep
#include <doctest/doctest.h>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/jit/lower/lower.hpp>
#include <sinter/runtime/cuda/graph/conditional_nodes.hpp>

#include <string>
#include <vector>

#include "cuda_emulator/counted_driver.hpp"
#include "cuda_emulator/emulator.hpp"

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("conditional_nodes: finds the kernels of bodies at any depth") {
  schedule::Plan inner, outer;
  inner.launches.push_back({.kernel = 2});
  schedule::Plan middle;
  middle.launches.push_back({.kernel = -1, .control = 0});
  middle.launches.push_back({.kernel = 1});
  middle.bodies = {inner};
  outer.kernels.resize(4);
  outer.launches.push_back({.kernel = 0});
  outer.bodies = {middle};
  CHECK(runtime::kernels_in_bodies(outer) == Vector<bool>{false, true, true, false});
}

TEST_CASE("conditional_nodes: only a body without launches needs the host") {
  schedule::Plan body, plan;
  CHECK(runtime::why_control_needs_host(plan) == "");
  plan.bodies = {body};
  CHECK(runtime::why_control_needs_host(plan) == "a body has nothing to launch");
  plan.bodies[0].launches.push_back({.kernel = 0});
  CHECK(runtime::why_control_needs_host(plan) == "");
  plan.bodies[0].bodies = {body};
  CHECK(runtime::why_control_needs_host(plan) == "a body has nothing to launch");
}
