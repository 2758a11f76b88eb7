#include <doctest/doctest.h>
#include <sinter/base/container/algorithm.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/schedule/control/section.hpp>

using namespace sinter;
using namespace sinter::detail;
using schedule::Section;

namespace {

Graph branch() {
  Graph graph;
  Builder body(graph);
  const Value x = body.input({f32, {4}});
  graph.outputs = {body.add(x, x)};
  return graph;
}

struct Program {
  Graph graph{};
  Builder build{graph};
  Value holds = build.input({boolean, {}}), x = build.input({f32, {4}});

  Value cond(Value operand) {
    return build.append(
        {.op = Op::cond, .inputs = {holds, operand}, .bodies = {branch(), branch()}});
  }
};

}  // namespace

TEST_CASE("section: a graph without control flow is one section") {
  Program p;
  p.graph.outputs = {p.build.neg(p.x)};
  CHECK_FALSE(schedule::has_control(p.graph));
  const Vector<Section> parts = schedule::sections(p.graph);
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].outputs == p.graph.outputs);
  CHECK(parts[0].inputs == Vector<Value>{p.x});
  CHECK(parts[0].controls.empty());
}

TEST_CASE(
    "section: the operands of control flow are computed before it, everything else after it") {
  Program p;
  const Value needed = p.build.neg(p.x), other = p.build.elementwise(Op::exp, {p.x});
  const Value chosen = p.cond(needed);
  p.graph.outputs = {p.build.mul(other, chosen)};
  REQUIRE(schedule::has_control(p.graph));
  const Vector<Section> parts = schedule::sections(p.graph);
  REQUIRE(parts.size() == 2);
  for (const Section& part : parts) verify(part.graph);
  CHECK(parts[0].outputs == Vector<Value>{needed});
  CHECK(parts[0].controls == Vector<NodeId>{chosen.node});
  CHECK(to_string(parts[1].graph) ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = exp %0\n"
        "%2: f32[4] = input\n"
        "%3: f32[4] = mul %1 %2\n"
        "return %3\n");
  CHECK(parts[1].inputs == Vector<Value>{p.x, chosen});
}

TEST_CASE("section: constants and movement are duplicated, earlier results are passed in") {
  Program p;
  const Value two = p.build.constant(constant(2.0f), {f32, {4}});
  const Value doubled = p.build.mul(p.x, two), flipped = p.build.flip(doubled, {0});
  const Value chosen = p.cond(flipped);
  p.graph.outputs = {p.build.mul(p.build.add(chosen, flipped), two), doubled};
  const Vector<Section> parts = schedule::sections(p.graph);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].outputs == Vector<Value>{flipped, doubled});
  CHECK(to_string(parts[1].graph) ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = input\n"
        "%2: f32[4] = flip %1 axes=[0]\n"
        "%3: f32[4] = add %0 %2\n"
        "%4: f32[4] = constant value=2\n"
        "%5: f32[4] = mul %3 %4\n"
        "return %5\n");
}

TEST_CASE("section: independent control flow shares a section, dead control flow is dropped") {
  Program p;
  const Value first = p.cond(p.x), second = p.cond(p.build.neg(p.x)), third = p.cond(first);
  p.cond(third);
  p.graph.outputs = {p.build.add(second, third)};
  const Vector<Section> parts = schedule::sections(p.graph);
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].controls == Vector<NodeId>{first.node, second.node});
  CHECK(parts[1].controls == Vector<NodeId>{third.node});
  CHECK(parts[2].controls.empty());
}

TEST_CASE("section: a total is computed where its operand is") {
  Program p;
  const Value squares = p.build.mul(p.x, p.x);
  const Value total = p.build.reduce(Op::sum, p.build.elementwise(Op::exp, {squares}), {0});
  const Value chosen = p.cond(squares);
  p.graph.outputs = {p.build.elementwise(Op::neg, {total}), p.build.add(chosen, p.x)};
  const Vector<Section> parts = schedule::sections(p.graph);
  REQUIRE(parts.size() == 2);
  CHECK(contains(parts[0].outputs, total));
  CHECK(contains(parts[1].inputs, total));
  CHECK_FALSE(contains(parts[1].inputs, squares));
}

TEST_CASE("section: a total of what is in memory anyway is computed where it is read") {
  Program p;
  const Value total = p.build.reduce(Op::sum, p.build.mul(p.x, p.x), {0});
  const Value chosen = p.cond(p.x);
  p.graph.outputs = {p.build.elementwise(Op::neg, {total}), p.build.add(chosen, p.x)};
  const Vector<Section> parts = schedule::sections(p.graph);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].outputs.empty());
  CHECK_FALSE(contains(parts[1].inputs, total));
}

TEST_CASE("section: a total of what a later section needs anyway is computed there") {
  Program p;
  const Value squares = p.build.mul(p.x, p.x);
  const Value total = p.build.reduce(Op::sum, p.build.elementwise(Op::exp, {squares}), {0});
  const Value chosen = p.cond(squares);
  p.graph.outputs = {p.build.elementwise(Op::neg, {total}), p.build.add(chosen, squares)};
  const Vector<Section> parts = schedule::sections(p.graph);
  REQUIRE(parts.size() == 2);
  CHECK(contains(parts[1].inputs, squares));
  CHECK_FALSE(contains(parts[1].inputs, total));
}

TEST_CASE("section: what is before a fence runs before it, what is behind it after it") {
  Program p;
  const auto fence = [&](Value operand) {
    const auto code =
        make_shared_ptr<const CustomCode>(CustomCode{.name = "a", .has_side_effects = true});
    Node node{.op = Op::custom,
              .inputs = {operand},
              .attributes = {{"code", code}, {"operands", constant(1)}}};
    node.attributes.push_back({schedule::fence_attribute, constant(1)});
    node.results.push_back({f32, {4}});
    return p.build.append(std::move(node));
  };
  const Value chosen = p.cond(p.x);
  const Value early = p.build.add(chosen, chosen), product = p.build.mul(p.x, p.x);
  const Value first = fence(p.build.neg(p.x));
  const Value late = p.build.neg(product), second = fence(late);
  p.graph.outputs = {p.build.add(p.build.mul(early, late), p.build.add(first, second))};
  const Vector<Section> parts = schedule::sections(p.graph);
  REQUIRE(parts.size() == 4);
  CHECK(parts[0].controls == Vector<NodeId>{chosen.node});
  CHECK(parts[1].controls == Vector<NodeId>{first.node});
  CHECK(contains(parts[1].outputs, early));  // although its reader is in the last section
  CHECK(contains(parts[1].outputs, product));
  CHECK(parts[2].controls == Vector<NodeId>{second.node});
  CHECK(contains(parts[2].outputs, late));
}
