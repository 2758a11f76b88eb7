#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/schedule/control/planner.hpp>
#include <sinter/schedule/control/section.hpp>
#include <sinter/schedule/named_target.hpp>
#include <sinter/schedule/plan.hpp>

#include <algorithm>
#include <set>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

const Extent n = Extent::symbol(0);

Graph body_of(Op op, const TensorType& type) {
  Graph graph;
  Builder body(graph);
  const Value x = body.input(type);
  graph.outputs = {op == Op::input ? x : body.elementwise(op, {x})};
  return graph;
}

// exp(x) * cond(holds, exp(x), x), or with another branch. The result of the cond is also an
// output.
Graph chosen(Extent size, Op second, bool as_output = false) {
  const TensorType type{f32, {size}};
  Graph graph;
  Builder build(graph);
  const Value holds = build.input({boolean, {}}), x = build.input(type);
  const Value e = build.elementwise(Op::exp, {x});
  const Value result = build.append({.op = Op::cond,
                                     .inputs = {holds, e},
                                     .bodies = {body_of(Op::exp, type), body_of(second, type)}});
  graph.outputs = {build.mul(e, result)};
  if (as_output) graph.outputs.push_back(result);
  return graph;
}

Plan planned(const Graph& graph, Vector<Update> updates = {}) {
  Plan result = plan(graph, {.updates = std::move(updates)});
  INFO(to_string(graph) << to_string(result));
  verify(result);
  return result;
}

const Buffer& output(const Plan& plan, std::size_t i) {
  return plan.buffers[static_cast<std::size_t>(plan.outputs[i])];
}

// A node that starts something with `operands`, and one that waits for it and gives the first.
Value start(Builder& build, Vector<Value> operands) {
  const auto code =
      make_shared_ptr<const CustomCode>(CustomCode{.name = "start", .has_side_effects = true});
  Node node{.op = Op::custom,
            .attributes = {{"code", code},
                           {"operands", constant(static_cast<std::int64_t>(operands.size()))},
                           {"kernel", std::string("call")},
                           {"starts", constant(true)}}};
  for (const Value operand : operands) node.inputs.push_back(operand);
  node.results.push_back({i64, {}});
  return build.append(std::move(node));
}
Value wait(Builder& build, Value started, const TensorType& type) {
  const auto code =
      make_shared_ptr<const CustomCode>(CustomCode{.name = "wait", .has_side_effects = true});
  Node node{
      .op = Op::custom,
      .inputs = {started},
      .attributes = {{"code", code}, {"operands", constant(1)}, {"kernel", std::string("call")}}};
  node.results.push_back(type);
  return build.append(std::move(node));
}

// "k" for each kernel, and the first letters of what else is launched.
std::string order_of(const Plan& plan) {
  std::string result;
  for (const Launch& launch : plan.launches) {
    const auto control = static_cast<std::size_t>(launch.control);
    result += launch.control < 0 ? 'k' : plan.controls[control].code->name[0];
  }
  return result;
}

Value product(Builder& build, Value x, Value y) {
  return build.dot_general(x, y, {.lhs_contract = {1}, .rhs_contract = {0}});
}

}  // namespace

TEST_CASE("control: a branch is a launch between kernels, and shares their buffers") {
  const Plan plan = planned(chosen(n, Op::neg));
  REQUIRE(plan.launches.size() == 3);
  CHECK(plan.launches[0].control == -1);
  REQUIRE(plan.launches[1].control == 0);
  const Control& control = plan.controls[0];
  CHECK(control.op == Op::cond);
  CHECK(control.bodies == Vector<std::int32_t>{0, 1});
  CHECK(plan.launches[1].buffers.size() == 3);  // predicate, exp(x), result
  CHECK(plan.launches[1].buffers[1] == plan.launches[0].buffers[1]);
  CHECK(plan.bodies.size() == 2);
}

TEST_CASE("control: kernels of bodies are in the list of the plan, each once") {
  const Plan plan = planned(chosen(n, Op::exp));
  CHECK(plan.bodies[0].kernels.empty());
  CHECK(plan.kernels.size() == 2);  // exp, of all three, and mul
  CHECK(plan.bodies[0].launches[0].kernel == plan.launches[0].kernel);
  CHECK(kernel_launches(plan).size() == 4);
}

TEST_CASE("control: a branch that returns its argument copies it") {
  const Plan plan = planned(chosen(n, Op::input));
  REQUIRE(plan.bodies[1].launches.size() == 1);
  CHECK(output(plan.bodies[1], 0).home == Home::output);
}

TEST_CASE("control: results of control flow that are outputs are written in place") {
  const Plan plan = planned(chosen(n, Op::neg, true));
  CHECK(output(plan, 1).home == Home::output);
  CHECK(plan.outputs[1] == plan.launches[1].buffers[2]);
}

TEST_CASE("control: an input is overwritten only after all of its readers") {
  const std::int32_t x = 1;
  // exp(x) * result, computed last: in place. The result, computed before x is read again: copied.
  const Plan in_place = planned(chosen(n, Op::neg, true), {{x, 0}});
  CHECK(output(in_place, 0).home == Home::output);
  const Plan copied = planned(chosen(n, Op::neg, true), {{x, 1}});
  CHECK(copied.outputs[1] != copied.launches[1].buffers[2]);
  CHECK(copied.launches.back().buffers.back() == copied.outputs[1]);
}

TEST_CASE("control: loops have two buffers for each state, and know the bytes of a step") {
  Graph body;
  Builder step(body);
  const Value carry = step.input({f64, {3}}), x = step.input({f32, {}});
  const Value wide = step.expand(step.reshape(step.cast(x, f64), {1}), {3});
  body.outputs = {step.add(carry, wide), step.neg(x)};
  Graph graph;
  Builder build(graph);
  const Value first = build.input({f64, {3}}), xs = build.input({f32, {n}});
  const NodeId id = build.append(
      {.op = Op::scan,
       .inputs = {first, xs},
       .attributes = {{"carries", constant(1)}, {"xs", constant(1)}, {"reverse", constant(1)}},
       .bodies = {body}});
  graph.outputs = {{id, 0}, {id, 1}};
  const Plan plan = planned(graph);
  REQUIRE(plan.launches.size() == 1);
  const auto& buffers = plan.launches[0].buffers;
  CHECK(std::set<std::int32_t>(buffers.begin(), buffers.end()).size() == 5);
  const Control& control = plan.controls[0];
  CHECK(text(control.bytes) == "[24, 4, 4]");
  CHECK(text(control.length) == "s0");
  CHECK(control.reverse);
  CHECK(to_string(plan).find("scan(b0, b1 -> b2, b3; b4) bodies [0] steps s0 reverse") !=
        std::string::npos);
}

TEST_CASE("control: launches number the kernels of all sections and bodies") {
  const Plan plan = planned(chosen(n, Op::neg));
  std::set<std::int32_t> numbers;
  std::size_t count = 0;
  for (const Launch* const launch : kernel_launches(plan)) {
    numbers.insert(launch->lowered.begin(), launch->lowered.end());
    count += launch->lowered.size();
  }
  CHECK(count == 4);  // two of the plan, one of each branch
  CHECK(numbers == std::set<std::int32_t>{0, 1, 2, 3});
}

TEST_CASE("control: verify finds a body that does not own an output, and unwritten buffers") {
  Plan plan = schedule::plan(chosen(4, Op::neg), {});
  Plan shared = plan;
  shared.bodies[0].outputs = shared.bodies[0].inputs;
  CHECK_THROWS_AS(verify(shared), InternalError);
  Plan unwritten = plan;
  unwritten.launches.erase(unwritten.launches.begin());
  CHECK_THROWS_AS(verify(unwritten), InternalError);
}

TEST_CASE(
    "control: a start is launched as soon as its operands are there, in the program's order") {
  const TensorType type{f32, {64, 64}};
  Graph graph;
  Builder build(graph);
  const Value x = build.input(type);
  const Value a = product(build, x, x), b = product(build, a, x), c = product(build, b, x);
  const Value first = start(build, {b}), second = start(build, {a}), third = start(build, {x, c});
  Vector<Value> waited;
  for (const Value one : {first, second, third}) waited.push_back(wait(build, one, type));
  graph.outputs = {product(build, build.add(waited[0], waited[1]), waited[2])};
  CHECK(order_of(planned(graph)) == "kksskswwwkk");  // the second has to wait for the first
}

TEST_CASE("control: what is computed is fused across a start") {
  const TensorType type{f32, {64, 64}};
  Graph graph;
  Builder build(graph);
  const Value x = build.input(type);
  const Value e = build.elementwise(Op::exp, {build.elementwise(Op::sin, {product(build, x, x)})});
  const Value a = product(build, e, x), b = product(build, build.mul(e, e), x);
  graph.outputs = {a, b};
  const std::size_t kernels = planned(graph).launches.size();
  const Value first = start(build, {a}), second = start(build, {b});
  graph.outputs = {wait(build, first, type), wait(build, second, type)};
  CHECK(sections(graph)[0].controls.size() == 2);
  const std::string order = order_of(planned(graph));
  CHECK(std::count(order.begin(), order.end(), 'k') == static_cast<std::ptrdiff_t>(kernels));
  CHECK(order == "kksksww");
}

TEST_CASE("control: what the first start needs is computed first") {
  const TensorType type{f32, {64, 64}};
  Graph graph;
  Builder build(graph);
  const Value x = build.input(type);
  const Value a = product(build, x, x), b = product(build, a, x), c = product(build, a, a);
  const Value first = start(build, {c}), second = start(build, {b});
  graph.outputs = {wait(build, first, type), wait(build, second, type)};
  CHECK(order_of(planned(graph)) == "kksksww");
  const Vector<Section> parts = sections(graph);
  CHECK(parts[0].outputs == Vector<Value>{c, b});
  CHECK(parts[0].controls == Vector<NodeId>{first.node, second.node});
}

TEST_CASE("control: no batch of kernels delays a start") {
  const TensorType type{f32, {64, 64}};
  Graph graph;
  Builder build(graph);
  Vector<Value> products;
  for (int i = 0; i < 3; ++i) {
    products.push_back(product(build, build.input(type), build.input(type)));
  }
  const Options options{.target = Target::named("avx512")};
  graph.outputs = products;
  CHECK(plan(graph, options).launches.size() == 1);
  Vector<Value> started;
  for (const Value one : products) started.push_back(start(build, {one}));
  graph.outputs.clear();
  for (const Value one : started) graph.outputs.push_back(wait(build, one, type));
  CHECK(order_of(plan(graph, options)) == "kskskswww");
}
