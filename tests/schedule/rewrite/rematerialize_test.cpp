#include <doctest/doctest.h>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/rewrite/rematerialize.hpp>

#include <algorithm>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

// Attention with `rows` queries and keys of width `depth`.
struct Scored {
  Program p{};
  Value q, k, product, weights, weighed;

  // With `gathered`, biases are gathered from a table, at positions from an input.
  explicit Scored(Extent rows, std::int64_t depth = 8, bool gathered = false)
      : q(p.input({rows, depth})), k(p.input({rows, depth})) {
    product = p.build.dot_general(q, k, {.lhs_contract = {1}, .rhs_contract = {1}});
    Value scores = p.build.mul(product, p.number(0.5, product));
    if (gathered) {
      const Value where = p.input({rows, rows}, i64);
      const Value at = p.build.add(where, p.number(1, where));
      scores = p.build.add(scores, p.build.gather(p.input({9}), at, 0));
    }
    weights = p.softmax(scores);
    weighed = p.build.dot_general(weights, k, {.lhs_contract = {1}, .rhs_contract = {0}});
  }

  // One value per row, after `count` products.
  Value row_after(int count) {
    const Value w = p.input({8, 8});
    Value x = weighed;
    for (int i = 0; i < count; ++i) {
      x = p.build.dot_general(x, w, {.lhs_contract = {1}, .rhs_contract = {0}});
    }
    return p.along_row(Op::sum, x);
  }

  // Reads the weights again, scaled by a value per row that is known only after `count` products.
  void read_after(int count) {
    const Value row = p.build.slice(row_after(count), {0, 0}, {1, 1}, {p.build.shape(q)[0], 1});
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

TEST_CASE("rematerialize: gathers from inputs are free if the rules say so") {
  Scored s(512, 8, true);
  s.read_after(5);
  CHECK(!rematerialize(s.p.graph).has_value());
  const auto found = rematerialize(s.p.graph, {.gathers = true});
  REQUIRE(found.has_value());
  CHECK(products(found->graph) == products(s.p.graph) + 1);
  const Vector<bool> of_inputs = nodes_made_of_inputs(s.p.graph);
  for (NodeId id = 0; id < s.p.graph.nodes.size(); ++id) {
    const Op op = s.p.graph[id].op;
    if (op == Op::gather) CHECK((of_inputs[id] && !nodes_made_of_numbers(s.p.graph)[id]));
    if (op == Op::dot_general || op == Op::exp) CHECK(!of_inputs[id]);
  }
}

TEST_CASE("rematerialize: a product is recomputed for late readers") {
  for (const Extent rows : {Extent(512), Extent::symbol(0)}) {
    Scored s(rows);
    s.read_after(5);
    const auto found = rematerialize(s.p.graph);
    REQUIRE(found);
    CHECK(products(found->graph) == products(s.p.graph) + 1);
    CHECK(found->after.size() == found->graph.nodes.size());
    CHECK(found->graph.inputs.size() == s.p.graph.inputs.size());
    CHECK(found->graph.outputs.size() == s.p.graph.outputs.size());
  }
}

TEST_CASE("rematerialize: the recomputed product runs after the operands of its readers") {
  Scored s(512);
  s.read_after(5);
  const auto found = rematerialize(s.p.graph);
  REQUIRE(found);
  const FusionAnalysis facts = analyze_fusion(found->graph, found->after);
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

TEST_CASE("rematerialize: a product is kept for early readers") {
  Scored s(512);
  s.read_after(1);
  CHECK_FALSE(rematerialize(s.p.graph));
}

TEST_CASE("rematerialize: small products and deep products are kept") {
  Scored small(64), deep(512, 256);
  small.read_after(5);
  CHECK_FALSE(rematerialize(small.p.graph));
  Program& p = deep.p;
  const Value w = p.input({256, 256});
  Value x = deep.weighed;
  for (int i = 0; i < 6; ++i) {
    x = p.build.dot_general(x, w, {.lhs_contract = {1}, .rhs_contract = {0}});
  }
  const Value row = p.build.expand(p.build.slice(x, {0, 0}, {1, 1}, {512, 1}), {512, 512});
  p.graph.outputs = {p.build.reduce(Op::sum, p.build.mul(deep.weights, row), {0})};
  CHECK_FALSE(rematerialize(p.graph));
}

TEST_CASE("rematerialize: a product is kept if its operands are not") {
  Program p;
  const Value x = p.input({512, 8}), w = p.input({8, 8}), q = p.apply(Op::tanh, x);
  const Value product = p.build.dot_general(q, q, {.lhs_contract = {1}, .rhs_contract = {1}});
  Value late = p.build.dot_general(product, x, {.lhs_contract = {1}, .rhs_contract = {0}});
  for (int i = 0; i < 6; ++i) {
    late = p.build.dot_general(late, w, {.lhs_contract = {1}, .rhs_contract = {0}});
  }
  const Value row = p.build.expand(p.build.slice(late, {0, 0}, {1, 1}, {512, 1}), {512, 512});
  p.graph.outputs = {p.build.reduce(Op::sum, p.build.mul(product, row), {0})};
  CHECK_FALSE(rematerialize(p.graph));
  p.graph.outputs.push_back(p.build.mul(q, late));
  CHECK(rematerialize(p.graph));
}

// Whether the product of 64 rows and `columns` is copied for a reader that comes late. What it is
// multiplied with is its softmax, or only its exponentials.
bool is_copied(bool reduced, std::int64_t columns, bool streams) {
  Program p;
  const Value q = p.input({64, 8}), k = p.input({columns, 8}), w = p.input({8, 8});
  const Value product = p.build.dot_general(q, k, {.lhs_contract = {1}, .rhs_contract = {1}});
  const Value hidden = reduced ? p.softmax(product) : p.apply(Op::exp, product);
  const Value out = p.build.dot_general(hidden, k, {.lhs_contract = {1}, .rhs_contract = {0}});
  Value x = out;
  for (int i = 0; i < 5; ++i) {
    x = p.build.dot_general(x, w, {.lhs_contract = {1}, .rhs_contract = {0}});
  }
  const Value row = p.build.slice(p.along_row(Op::sum, x), {0, 0}, {1, 1}, {64, 1});
  const Value late = p.build.mul(hidden, p.build.expand(row, {64, columns}));
  p.graph.outputs = {out, p.build.reduce(Op::sum, late, {1})};
  const auto found = rematerialize(
      p.graph, {.fewest_elements = 1, .most_bytes_kept = 1, .growth = 1, .streams = streams});
  return found && products(found->graph) > products(p.graph);
}

TEST_CASE("rematerialize: for streaming kernels, only wide rows that are reduced for a product") {
  CHECK(is_copied(true, 64, true));
  CHECK_FALSE(is_copied(false, 64, true));
  CHECK(is_copied(false, 64, false));
  CHECK_FALSE(is_copied(true, 8, true));
  CHECK(is_copied(true, 8, false));
}

TEST_CASE("rematerialize: plans give equal results") {
  // Typical sizes decide, not the sizes of the call.
  Scored s(Extent::symbol(0));
  s.read_after(5);
  REQUIRE(rematerialize(s.p.graph));
  for (const std::int64_t rows : {1, 7, 40}) {
    against_interpreter::check(s.p.graph, {rows}, 1, {.row_tiles = true, .target = host_target()});
  }
}
