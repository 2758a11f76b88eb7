#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/pass/simplify_control.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

// x op y
Graph combined(Op op) {
  Graph graph;
  Builder body(graph);
  const Value x = body.input({f32, {3}}), y = body.input({f32, {3}});
  graph.outputs = {body.elementwise(op, {x, y})};
  return graph;
}

struct Branch {
  Graph graph{};
  Builder build{graph};
  Value holds = build.input({boolean, {}}), x = build.input({f32, {3}});

  Value cond(Value predicate, Value y, Graph first, Graph second) {
    return build.append({.op = Op::cond, .inputs = {predicate, x, y}, .bodies = {first, second}});
  }
  std::string simplified() const {
    const Graph result = pass::simplify_control(graph);
    verify(result);
    return to_string(result);
  }
};

// carry + x; {that, carry, x}: the first `outputs` of them
Graph step(std::size_t outputs) {
  Graph graph;
  Builder body(graph);
  const Value carry = body.input({f32, {}}), x = body.input({f32, {}}), z = body.input({f32, {}});
  const Vector<Value> all{body.add(body.add(carry, x), z), carry, x};
  graph.outputs.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(outputs));
  return graph;
}

Node scan(Value carry, Value xs, Value z, std::size_t outputs) {
  return {.op = Op::scan,
          .inputs = {carry, xs, z},
          .attributes = {{"carries", constant(1)}, {"xs", constant(1)}, {"reverse", constant(0)}},
          .bodies = {step(outputs)}};
}

// {x as f32, -x, x}
Graph three_of_integer() {
  Graph graph;
  Builder body(graph);
  const Value x = body.input({i32, {}});
  graph.outputs = {body.cast(x, f32), body.elementwise(Op::neg, {x}), x};
  return graph;
}

// Takes what goes into three_of_integer, what comes out and the gradient of the first result, and
// gives nothing: an integer has no gradient.
Graph gradient_of_integer() {
  Graph graph;
  Builder body(graph);
  for (const DType dtype : {i32, f32, i32, i32, f32}) body.input({dtype, {}});
  return graph;
}

std::size_t count(const Graph& graph, Op op) {
  std::size_t result = 0;
  for (const Node& node : graph.nodes) result += node.op == op;
  return result;
}

}  // namespace

TEST_CASE("simplify_control: a branch whose predicate is known is what it takes") {
  for (const bool taken : {true, false}) {
    Branch branch;
    const Value known = branch.build.constant(constant(taken), {boolean, {}});
    const Value y = branch.build.input({f32, {3}});
    branch.graph.outputs = {branch.cond(known, y, combined(Op::add), combined(Op::mul))};
    CHECK(branch.simplified() == text("%0: bool[] = input\n%1: f32[3] = input\n"
                                      "%2: bool[] = constant value=",
                                      taken ? "true" : "false",
                                      "\n%3: f32[3] = input\n%4: f32[3] = ", taken ? "add" : "mul",
                                      " %1 %3\nreturn %4\n"));
  }
}

TEST_CASE("simplify_control: constants are in the bodies that use them, others are not given") {
  Branch branch;
  const Value two = branch.build.constant(constant(2.0f), {f32, {3}});
  branch.graph.outputs = {branch.cond(branch.holds, two, combined(Op::add), combined(Op::mul))};
  const std::string result = branch.simplified();
  CHECK(result.find("= cond %0 %1\n") != std::string::npos);
  CHECK(result.find("  %1: f32[3] = constant value=2\n  %2: f32[3] = add %0 %1") !=
        std::string::npos);
}

TEST_CASE("simplify_control: what no body uses is not given to it") {
  Branch branch;
  const Value y = branch.build.input({f32, {3}});
  Graph first = combined(Op::add), second = combined(Op::mul);
  first.outputs = {first.inputs[1]}, second.outputs = {second.inputs[1]};
  branch.graph.outputs = {branch.cond(branch.holds, y, first, second)};
  CHECK(branch.simplified().find("= cond %0 %2\n") != std::string::npos);
}

TEST_CASE("simplify_control: a scan that gives more takes the place of one that gives less") {
  Graph graph;
  Builder build(graph);
  const Value carry = build.input({f32, {}}), xs = build.input({f32, {4}});
  const Value z = build.input({f32, {}});
  const NodeId shorter = build.append(scan(carry, xs, z, 1));
  const NodeId longer = build.append(scan(carry, xs, z, 3));
  graph.outputs = {{shorter, 0}, {longer, 1}, {longer, 2}};
  const Graph result = pass::simplify_control(graph);
  verify(result);
  CHECK(count(result, Op::scan) == 1);
  CHECK(to_string(result).find("return %3 %3.1 %3.2") != std::string::npos);
}

TEST_CASE("simplify_control: results that nobody reads are not stacked; carries stay") {
  Graph graph;
  Builder build(graph);
  const Value carry = build.input({f32, {}}), xs = build.input({f32, {4}});
  const NodeId id = build.append(scan(carry, xs, build.input({f32, {}}), 3));
  graph.outputs = {{id, 2}};
  const Graph result = pass::simplify_control(graph);
  verify(result);
  CHECK(to_string(result).find("f32[] f32[4] = scan") != std::string::npos);
  CHECK(to_string(result).find("return %3.1") != std::string::npos);
}

TEST_CASE("simplify_control: a call gives what is used, whatever its gradient gives") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({i32, {}});
  const NodeId id = build.append(
      {.op = Op::call, .inputs = {x}, .bodies = {three_of_integer(), gradient_of_integer()}});
  graph.outputs = {{id, 1}, {id, 2}};
  verify(graph);
  const Graph result = pass::simplify_control(graph);
  verify(result);
  CHECK(to_string(result) ==
        "%0: i32[] = input\n%1: f32[] = cast %0\n%2: i32[] = neg %0\nreturn %2 %0\n");
}

TEST_CASE("simplify_control: graphs without control flow stay as they are") {
  Branch branch;
  branch.graph.outputs = {branch.build.add(branch.x, branch.x)};
  CHECK(branch.simplified() == to_string(branch.graph));
}
