#include <doctest/doctest.h>
#include <sinter/schedule/launch/assemble.hpp>
#include <sinter/schedule/plan.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

std::string launches_of(const Plan& plan) {
  std::string result;
  for (const Launch& launch : plan.launches) {
    const Kernel& kernel = plan.kernels[static_cast<std::size_t>(launch.kernel)];
    result += text(kernel.name, launch.buffers, " ");
  }
  return result;
}

Plan plan_of(Program& p, Vector<Value> outputs, Vector<Update> updates = {}) {
  p.graph.outputs = std::move(outputs);
  Plan result = plan(p.graph, {.updates = std::move(updates)});
  verify(result);
  return result;
}

}  // namespace

TEST_CASE("assemble: an output that is an input, or a reshape of one, is its buffer") {
  Program p;
  const Value x = p.input({4, 2});
  const Plan plan = plan_of(p, {x, p.build.reshape(x, {8})});
  CHECK(plan.launches.empty());
  CHECK(plan.outputs == Vector<std::int32_t>{0, 0});
}

TEST_CASE("assemble: outputs with the same elements share a buffer, others are copied") {
  Program p;
  const Value x = p.input({4, 2}), y = p.apply(Op::sin, x);
  const Plan plan = plan_of(p, {y, p.build.reshape(y, {8}), p.build.permute(y, {1, 0})});
  CHECK(plan.outputs[0] == plan.outputs[1]);
  CHECK(plan.outputs[0] != plan.outputs[2]);
  CHECK(plan.buffers[static_cast<std::size_t>(plan.outputs[2])].home == Home::output);
}

TEST_CASE("assemble: an output may be a number, or positions") {
  Program p;
  const Plan plan =
      plan_of(p, {p.build.constant(constant(2.0f), {f32, {3}}), p.build.iota({i64, {2, 3}}, 1)});
  CHECK(plan.kernels.size() == 2);
}

TEST_CASE("assemble: equal kernels are stored once, whatever symbols and buffers they run on") {
  Program p;
  const Extent s3 = Extent::symbol(3), s4 = Extent::symbol(4);
  const Value x = p.input({s3}), y = p.input({s4});
  const Plan plan = plan_of(p, {p.apply(Op::sin, x), p.apply(Op::sin, y)});
  CHECK(plan.kernels.size() == 1);
  REQUIRE(plan.launches.size() == 2);
  CHECK(text(plan.launches[0].sizes) == "[s3]");
  CHECK(text(plan.launches[1].sizes) == "[s4]");
}

TEST_CASE("assemble: an update that reads other elements of the old value goes through the arena") {
  Program p;
  const Value x = p.input({8});
  const Plan plan = plan_of(p, {p.build.add(x, p.build.flip(x, {0}))}, {{0, 0}});
  CHECK(launches_of(plan) == "add_f32[0, 2] copy_f32[2, 1] ");
  CHECK(plan.buffers[2].home == Home::arena);
}

TEST_CASE("assemble: the old value that is returned beside the new one is copied first") {
  Program p;
  const Value x = p.input({8});
  const Plan plan = plan_of(p, {p.apply(Op::sin, x), x}, {{0, 0}});
  CHECK(launches_of(plan) == "copy_f32[0, 2] sin_f32[0, 1] ");
  CHECK(plan.outputs == Vector<std::int32_t>{1, 2});
}

TEST_CASE("assemble: two states that change places are both copied") {
  Program p;
  const Value x = p.input({8}), y = p.input({8});
  const Plan plan = plan_of(p, {y, x}, {{0, 0}, {1, 1}});
  CHECK(plan.launches.size() == 3);  // one of the copies through the arena
  CHECK(plan.kernels.size() == 1);
}
