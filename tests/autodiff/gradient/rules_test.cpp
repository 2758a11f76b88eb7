// test: moved
#include <doctest/doctest.h>
#include <sinter/autodiff/gradient/rules.hpp>

#include "rule_cases.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace differences;
using rule_cases::Case;
using rule_cases::cases;

TEST_CASE("rules: first and second derivatives are those that differences give") {
  for (const Case& test : cases) {
    CAPTURE(to_string(test.op));
    if (test.high > test.low) check_derivatives(test.write, test.low, test.high);
  }
}

TEST_CASE("rules: no gradient that is tested is 0 everywhere, so a wrong sign is an error") {
  for (const Case& test : cases) {
    CAPTURE(to_string(test.op));
    Program program(false, test.low, test.high);
    const Value output = weighted_sum(program, test.write(program));
    program.graph.outputs = autodiff::gradient(program.graph, output, program.variables());
    for (const Numbers& gradient : run(program.graph, program.inputs)) {
      double largest = 0;
      for (const double slope : gradient) largest = std::max(largest, std::abs(slope));
      CHECK((largest > 1e-2 || test.op == Op::cast));
    }
  }
}

TEST_CASE("rules: every operation that has a rule has a program that tests it") {
  for (std::size_t i = 0; i < op_count; ++i) {
    const autodiff::GradientRule rule = autodiff::gradient_rule(static_cast<Op>(i));
    CAPTURE(to_string(rule.op));
    bool tested = false;
    for (const Case& test : cases) {
      if (test.op != rule.op) continue;
      Program program(false, test.low, test.high);
      test.write(program);
      for (const Node& node : program.graph.nodes) tested |= node.op == rule.op;
    }
    const bool throws = rule.op == Op::while_loop;  // see control_rules_test
    CHECK(tested == (rule.apply != nullptr && !throws));
  }
}

TEST_CASE("rules: operations without a rule give no floating result, or one made of steps") {
  for (std::size_t i = 0; i < op_count; ++i) {
    const autodiff::GradientRule rule = autodiff::gradient_rule(static_cast<Op>(i));
    const OpInfo& row = info(rule.op);
    const bool steps = rule.op == Op::sign || rule.op == Op::floor || rule.op == Op::floor_divide;
    const bool discrete = row.kind == OpKind::leaf || row.takes == Takes::integral ||
                          row.gives == Gives::boolean || row.gives == Gives::index;
    CAPTURE(to_string(rule.op));
    const bool is_lowered = rule.op == Op::custom_elementwise;  // after gradients
    CHECK((rule.apply == nullptr) == (steps || discrete || is_lowered));
  }
}
