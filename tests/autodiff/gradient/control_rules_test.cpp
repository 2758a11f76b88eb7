// test: moved
// Derivatives through cond and scan are checked with those of all operations: rules_test.

#include <sinter/autodiff/gradient/control_rules.hpp>
#include <sinter/graph/control.hpp>

#include "finite_differences.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace differences;

namespace {

std::size_t count(const Graph& graph, Op op) {
  std::size_t result = 0;
  for (const Node& node : graph.nodes) result += node.op == op;
  return result;
}

// The sum of x * x, in as many steps as x has elements, and all sums on the way.
NodeId sum_of_squares(Program& program, Value x) {
  Graph body;
  Builder step(body);
  const Value sum = step.input({f64, {}}), number = step.input({f64, {}});
  const Value next = step.add(sum, step.mul(number, number));
  body.outputs = {next, next};
  Builder& build = program.builder;
  return build.append(
      {.op = Op::scan,
       .inputs = {build.constant(constant(0.0), {f64, {}}), x},
       .attributes = {{"carries", constant(1)}, {"xs", constant(1)}, {"reverse", constant(0)}},
       .bodies = {body}});
}

}  // namespace

TEST_CASE("control: gradients that nobody asks for are not computed") {
  Program program;
  const Value x = program.input({5});
  const NodeId id = sum_of_squares(program, x);
  const Value variables[]{x};
  program.graph.outputs = autodiff::gradient(program.graph, {id, 0}, variables);
  verify(program.graph);
  REQUIRE(count(program.graph, Op::scan) == 3);  // itself, once more with its carries, and back
  const Node& back = program.graph.nodes[program.graph.outputs[0].node];
  CHECK(back.results.size() == 2);  // of the carry and of x
  const std::vector<Numbers> found = run(program.graph, program.inputs);
  for (std::size_t i = 0; i < 5; ++i) CHECK(found[0][i] == 2 * program.inputs[0][i]);
}

TEST_CASE("control: a value that is detached in a body has no gradient") {
  Program program;
  const Value x = program.input({3});
  Graph body;
  Builder branch(body);
  const Value y = branch.input({f64, {3}});
  body.outputs = {branch.mul(y, branch.append(detached(y, {f64, {3}})))};
  Builder& build = program.builder;
  const Value holds = build.constant(constant(true), {boolean, {}});
  const Value squares =
      build.append({.op = Op::cond, .inputs = {holds, x}, .bodies = {body, body}});
  const Value variables[]{x};
  program.graph.outputs = autodiff::gradient(program.graph, squares, variables);
  CHECK(run(program.graph, program.inputs)[0] == program.inputs[0]);
}

TEST_CASE("control: a gradient through a while_loop is an error that names scan and the line") {
  Program program;
  const Value x = program.input({});
  Graph never, body;
  Builder predicate(never), step(body);
  predicate.input({f64, {}});
  never.outputs = {predicate.constant(constant(false), {boolean, {}})};
  body.outputs = {step.neg(step.input({f64, {}}))};
  const Where here = Where::current();
  const Value result = program.builder.append({.op = Op::while_loop,
                                               .inputs = {x},
                                               .attributes = {{"states", constant(1)}},
                                               .bodies = {never, body},
                                               .where = here});
  const Value variables[]{x};
  try {
    autodiff::gradient(program.graph, result, variables);
    FAIL_CHECK("nothing was thrown");
  } catch (const GradientError& error) {
    CHECK(error.where().line() == here.line());
    CHECK(std::string(error.what()).find("use scan") != std::string::npos);
  }
  CHECK_NOTHROW(autodiff::gradient(program.graph, x, variables));
}
