#include <doctest/doctest.h>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/rewrite/rematerialize.hpp>

#include <algorithm>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

// Scores of `rows` queries and keys of `depth` terms, their softmax, and what
// it weighs.
struct Scored {
  Program p{};
  Value q, k, product, weights, weighed;

  // With `taken`, numbers of a table are added to the scores, each where another input says.
  explicit Scored(Extent rows, std::int64_t depth = 8, bool taken = false)
      : q(p.input({rows, depth})), k(p.input({rows, depth})) {
    product = p.build.dot_general(q, k, {.lhs_contract = {1}, .rhs_contract = {1}});
    Value scores = p.build.mul(product, p.number(0.5, product));
    if (taken) {
      const Value where = p.input({rows, rows}, i64);
      const Value at = p.build.add(where, p.number(1, where));
      scores = p.build.add(scores, p.build.gather(p.input({9}), at, 0));
    }
    weights = p.softmax(scores);
    weighed = p.build.dot_general(weights, k, {.lhs_contract = {1}, .rhs_contract = {0}});
  }

  // A number for each row, behind `count` products.
  Value row_behind(int count) {
    const Value w = p.input({8, 8});
    Value x = weighed;
    for (int i = 0; i < count; ++i) {
      x = p.build.dot_general(x, w, {.lhs_contract = {1}, .rhs_contract = {0}});
    }
    return p.along_row(Op::sum, x);
  }

  // The weights once more, each row times a number that is known only behind
  // `count` products.
  void read_behind(int count) {
    const Value row = p.build.slice(row_behind(count), {0, 0}, {1, 1}, {p.build.shape(q)[0], 1});
    const Value spread = p.build.expand(row, p.build.shape(weights));
    const Value scaled = p.build.mul(weights, spread);
    p.graph.outputs = {weighed, p.build.reduce(Op::sum, scaled, {0}),
                       p.build.reduce(Op::sum, p.build.mul(q, k), {1})};
  }
};

std::ptrdiff_t products(const Graph& graph) {
  return std::count_if(graph.nodes.begin(), graph.nodes.end(),
                       [](const Node& node) { return node.op == Op::dot_general; });
}

}  // namespace

TEST_CASE("recompute: what is taken from inputs is at hand again where rules say so") {
  Scored s(512, 8, true);
  s.read_behind(5);
  CHECK(!recompute(s.p.graph).has_value());
  const auto found = recompute(s.p.graph, {.gathers = true});
  REQUIRE(found.has_value());
  CHECK(products(found->graph) == products(s.p.graph) + 1);
  const std::vector<bool> of_inputs = nodes_made_of_inputs(s.p.graph);
  for (NodeId id = 0; id < s.p.graph.nodes.size(); ++id) {
    const Op op = s.p.graph[id].op;
    if (op == Op::gather) CHECK((of_inputs[id] && !nodes_made_of_numbers(s.p.graph)[id]));
    if (op == Op::dot_general || op == Op::exp) CHECK(!of_inputs[id]);
  }
}

TEST_CASE("recompute: readers that come much later have a product computed again") {
  for (const Extent rows : {Extent(512), Extent::symbol(0)}) {
    Scored s(rows);
    s.read_behind(5);
    const auto found = recompute(s.p.graph);
    REQUIRE(found);
    CHECK(products(found->graph) == products(s.p.graph) + 1);
    CHECK(found->after.size() == found->graph.nodes.size());
    CHECK(found->graph.inputs.size() == s.p.graph.inputs.size());
    CHECK(found->graph.outputs.size() == s.p.graph.outputs.size());
  }
}

TEST_CASE("recompute: the second product waits for what its readers wait for") {
  Scored s(512);
  s.read_behind(5);
  const auto found = recompute(s.p.graph);
  REQUIRE(found);
  const Survey facts = survey(found->graph, found->after);
  int waiting = 0;
  for (NodeId id = 0; id < found->graph.nodes.size(); ++id) {
    const NodeId before = found->after[id];
    CHECK(before <= id);
    if (before == id) continue;
    CHECK(facts.nodes[id].level >= facts.nodes[before].level);
    CHECK(facts.nodes[id].level > facts.nodes[s.weighed.node].level);
    ++waiting;
  }
  CHECK(waiting == 1);
}

TEST_CASE("recompute: a product is kept for readers that come soon") {
  Scored s(512);
  s.read_behind(1);
  CHECK_FALSE(recompute(s.p.graph));
}

TEST_CASE("recompute: small products, and those of many terms, are kept") {
  Scored small(64), deep(512, 256);
  small.read_behind(5);
  CHECK_FALSE(recompute(small.p.graph));
  Program& p = deep.p;
  const Value w = p.input({256, 256});
  Value x = deep.weighed;
  for (int i = 0; i < 6; ++i) {
    x = p.build.dot_general(x, w, {.lhs_contract = {1}, .rhs_contract = {0}});
  }
  const Value row = p.build.expand(p.build.slice(x, {0, 0}, {1, 1}, {512, 1}), {512, 512});
  p.graph.outputs = {p.build.reduce(Op::sum, p.build.mul(deep.weights, row), {0})};
  CHECK_FALSE(recompute(p.graph));
}

TEST_CASE("recompute: a product is kept if its factors are not") {
  Program p;
  const Value x = p.input({512, 8}), w = p.input({8, 8}), q = p.apply(Op::tanh, x);
  const Value product = p.build.dot_general(q, q, {.lhs_contract = {1}, .rhs_contract = {1}});
  Value behind = p.build.dot_general(product, x, {.lhs_contract = {1}, .rhs_contract = {0}});
  for (int i = 0; i < 6; ++i) {
    behind = p.build.dot_general(behind, w, {.lhs_contract = {1}, .rhs_contract = {0}});
  }
  const Value row = p.build.expand(p.build.slice(behind, {0, 0}, {1, 1}, {512, 1}), {512, 512});
  p.graph.outputs = {p.build.reduce(Op::sum, p.build.mul(product, row), {0})};
  CHECK_FALSE(recompute(p.graph));
  p.graph.outputs.push_back(p.build.mul(q, behind));
  CHECK(recompute(p.graph));
}

TEST_CASE("recompute: what is computed again can be found, and forbidden") {
  Scored s(64);
  s.read_behind(5);
  AgainRules rules{.fewest_elements = 1, .most_bytes_kept = 1, .growth = 1};
  const auto found = recompute(s.p.graph, rules);
  REQUIRE(found);
  REQUIRE(found->origin.size() == found->graph.nodes.size());
  rules.kept.assign(s.p.graph.nodes.size(), false);
  for (NodeId id = 0; id < found->graph.nodes.size(); ++id) {
    const NodeId origin = found->origin[id];
    CHECK(found->graph[id].op == s.p.graph[origin].op);
    if (found->again[id] != Again::no) rules.kept[origin] = true;
  }
  CHECK(rules.keeps(s.product.node));
  CHECK_FALSE(recompute(s.p.graph, rules));
}

TEST_CASE("recompute: plans with second products compute the same") {
  // What decides are typical sizes: those that are executed need not be.
  Scored s(Extent::symbol(0));
  s.read_behind(5);
  REQUIRE(recompute(s.p.graph));
  for (const std::int64_t rows : {1, 7, 40}) {
    against_interpreter::check(s.p.graph, {rows}, 1, {.blocks = true, .host = true});
  }
}
