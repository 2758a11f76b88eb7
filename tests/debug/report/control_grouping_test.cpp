#include <doctest/doctest.h>
#include <sinter/debug/report/control_grouping.hpp>
#include <sinter/debug/report/program_facts.hpp>
#include <sinter/jit/state/state.hpp>

#include "debug/report/json_value.hpp"
#include "jit/support.hpp"

using namespace testing;
using namespace sinter::detail::debug;

namespace {

// The facts of the program of `function`, called with `x`.
template <class F>
Json program_of(F function, const Tensor& x) {
  auto f = compile(function);
  f(x);
  const jit::History history = f.state()->history();
  const jit::Variant& variant = *history.variants.at(0);
  StringTable strings;
  ProgramFacts programs(strings);
  programs.add(variant.recording.graph, variant.runnable, {}, {});
  return JsonReader::value("[" + programs.json() + ", " + strings.json() + "]\n");
}

// Each node that is computed has a kernel, and each kernel its nodes and one launch.
void check_groups(const Json& program) {
  const std::size_t groups = program["groups"].list.size();
  std::vector<int> nodes(groups), launches(groups);
  for (const Json& node : program["scheduled"]["nodes"].list) {
    const std::string& op = node[0].text;
    const bool is_kernel =
        op != "input" && op != "constant" && op != "cond" && op != "while_loop" && op != "scan";
    INFO(op << " " << node[1].text);
    CHECK((!is_kernel || !node[7].list.empty()));
    for (const Json& kernel : node[7].list) ++nodes.at(static_cast<std::size_t>(kernel.integer()));
  }
  for (const Json& launch : program["launches"].list) {
    for (const Json& group : launch["groups"].list) {
      ++launches.at(static_cast<std::size_t>(group.integer()));
    }
  }
  for (std::size_t i = 0; i < groups; ++i) {
    INFO(program["groups"][i][0].text);
    CHECK(nodes[i] > 0);
    CHECK(launches[i] == 1);
    CHECK(contains(program["groups"][i][0].text, "kernel " + std::to_string(i) + ", "));
  }
}

// The operations whose path ends with `module`.
std::vector<std::string> operations_in(const Json& facts, const std::string& module) {
  std::vector<std::string> result;
  for (const Json& node : facts[0][0]["scheduled"]["nodes"].list) {
    const std::string& path = facts[1][static_cast<std::size_t>(node[5].integer())].text;
    const bool is_inside = path.size() >= module.size() &&
                           path.compare(path.size() - module.size(), module.npos, module) == 0;
    if (is_inside) result.push_back(node[0].text);
  }
  return result;
}

Tensor branches(const Tensor& x) {
  const Tensor y = softmax(exp(x), -1);
  const Tensor z = cond(
      sum(y) > 0, [](const Tensor& v) { return sin(v) + sum(v, 1, true); },
      [](const Tensor& v) { return cos(v); }, y);
  return tanh(z) * y;
}

Tensor loops(const Tensor& x) {
  const Tensor y = while_loop([](const Tensor& v) { return sum(v) < 100.0f; },
                              [](const Tensor& v) { return sqrt(v) * v + 1.0f; }, exp(x));
  const auto step = [](const Tensor& carry, const Tensor& row) {
    const Tensor next = cond(
        sum(row) > 3, [](const Tensor& c, const Tensor& r) { return c + log(r); },
        [](const Tensor& c, const Tensor&) { return c; }, carry, row);
    return std::pair{next, next * row};
  };
  return scan(step, zeros({4}), y).second;
}

}  // namespace

TEST_CASE("report control: nodes of branches have their kernels and modules") {
  const Json facts = program_of(branches, ones({3, 4}));
  check_groups(facts[0][0]);
  const auto then = operations_in(facts, ".then"), otherwise = operations_in(facts, ".otherwise");
  CHECK(std::count(then.begin(), then.end(), "sin") == 1);
  CHECK(otherwise == std::vector<std::string>{"cos"});
  CHECK(operations_in(facts, "").size() > then.size() + 1);
}

TEST_CASE("report control: nodes of loops, and of a branch in a loop") {
  const Json facts = program_of(loops, ones({3, 4}));
  check_groups(facts[0][0]);
  const auto then = operations_in(facts, ".then"), test = operations_in(facts, ".condition");
  CHECK(std::count(then.begin(), then.end(), "log") == 1);
  CHECK(std::count(test.begin(), test.end(), "lt") == 1);
}

TEST_CASE("report control: a text of the user is a kernel of its own") {
  static const auto own =
      custom_op<"test::own">({.cpp = "void own(const float* x, float* y, long n) {\n"
                                     "  for (long i = 0; i < n; ++i) y[i] = 2 * x[i];\n}"});
  const bool before = std::exchange(checks_custom(), false);
  const Json facts = program_of([](const Tensor& x) { return sum(own(exp(x)) + 1.0f); }, ones({4}));
  checks_custom() = before;
  const Json& program = facts[0][0];
  bool is_found = false;
  for (const Json& node : program["scheduled"]["nodes"].list) {
    if (node[0].text != "custom") continue;
    is_found = true;
    REQUIRE(node[7].list.size() == 1);
    const auto group = static_cast<std::size_t>(node[7][0].integer());
    CHECK(contains(program["groups"][group][0].text, "kernel " + std::to_string(group)));
  }
  CHECK(is_found);
}
