#include <doctest/doctest.h>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/rewrite/rematerialize_transposed.hpp>
#include <sinter/schedule/rewrite/rewrite.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

const Options gpu{.row_tiles = true, .target = gpu_target()}, apart{.target = gpu_target()};

// Attention of queries `q`, keys `k` and values `v`.
struct Attention {
  Program p{};
  Value q, k, v, weights, result;

  Attention(Extent queries, Extent keys, Extent batch = 4, std::int64_t width = 8)
      : q(p.input({batch, queries, width})),
        k(p.input({batch, keys, width})),
        v(p.input({batch, keys, width})) {
    const Value scores = p.build.dot_general(q, k, {{0}, {0}, {2}, {2}});
    weights = p.softmax(p.build.mul(scores, p.number(0.5, scores)));
    result = p.build.dot_general(weights, v, {{0}, {0}, {2}, {1}});
    p.graph.outputs = {result};
  }

  // The gradients of q, k and v; `g` is the gradient of the result.
  Vector<Value> gradients(Value g) {
    const Value of_weights = p.build.dot_general(g, v, {{0}, {0}, {2}, {2}});
    const Value total = p.along_row(Op::sum, p.build.mul(of_weights, weights));
    const Value of_exponents = p.build.mul(weights, p.build.sub(of_weights, total));
    const Value of_scores = p.build.mul(of_exponents, p.number(0.5, of_exponents));
    return {p.build.dot_general(of_scores, k, {{0}, {0}, {2}, {1}}),
            p.build.dot_general(of_scores, q, {{0}, {0}, {1}, {1}}),
            p.build.dot_general(weights, g, {{0}, {0}, {1}, {1}})};
  }
};

// A feed-forward layer and the gradients of its weights. It is no attention, though the value
// between its products is wider than its operands.
Graph layer(bool normalized) {
  Program p;
  const Value x = p.input({256, 16}), up = p.input({64, 16}), down = p.input({16, 64});
  const Value g = p.input({256, 16});
  const Value in = normalized ? p.layer_norm(x, p.input({16}), p.input({16})) : x;
  const Value hidden = p.build.dot_general(in, up, {.lhs_contract = {1}, .rhs_contract = {1}});
  const Value active = p.gelu(hidden);
  const Value out = p.build.dot_general(active, down, {.lhs_contract = {1}, .rhs_contract = {1}});
  Value late = p.build.mul(out, g);
  for (int i = 0; i < 3; ++i) late = p.softmax(late);
  const Value of_active =
      p.build.dot_general(late, down, {.lhs_contract = {1}, .rhs_contract = {0}});
  const Value of_hidden = p.build.mul(of_active, p.gelu_slope(hidden));
  p.graph.outputs = {out,
                     p.build.dot_general(of_hidden, x, {.lhs_contract = {0}, .rhs_contract = {0}}),
                     p.build.dot_general(late, active, {.lhs_contract = {0}, .rhs_contract = {0}})};
  return p.graph;
}

std::int64_t largest_in_arena(const Plan& plan) {
  std::int64_t most = 0;
  for (const Buffer& one : plan.buffers) {
    if (one.home == Home::arena) most = std::max(most, one.elements.number());
  }
  return most;
}

std::string plan_text(const Graph& graph, const Options& options) {
  return to_string(plan(graph, options));
}

}  // namespace

TEST_CASE("rewrite: on a GPU attention is one kernel, which stores no scores") {
  for (const std::int64_t keys : {48, 300, 9000}) {
    const Attention a(32, keys, 64);
    const Plan found = plan(a.p.graph, gpu);
    CHECK(found.launches.size() == 1);
    CHECK(found.arena_bytes.number() == 0);
    CHECK(plan(a.p.graph, apart).launches.size() == 3);
  }
  const Attention any(Extent::symbol(0), Extent::symbol(1), Extent::symbol(2));
  CHECK(plan(any.p.graph, gpu).launches.size() == 1);
  against_interpreter::check(any.p.graph, {7, 33, 2}, 1, gpu);
}

TEST_CASE("rewrite: on a GPU the gradients of attention store no scores either") {
  Attention a(32, 48);
  a.p.graph.outputs = a.gradients(a.p.input({4, 32, 8}));
  a.p.graph.outputs.push_back(a.result);
  const Plan found = plan(a.p.graph, gpu);
  CHECK(found.launches.size() <= 4);
  CHECK(largest_in_arena(found) < 4 * 32 * 48);
  CHECK(largest_in_arena(plan(a.p.graph, apart)) == 4 * 32 * 48);
  against_interpreter::check(a.p.graph, {}, 2, gpu);
}

TEST_CASE("rewrite: scores are rematerialized for gradients that depend on the result") {
  Attention a(32, 48);
  const Value w = a.p.input({8, 8});
  const auto times = [&](Value x) {
    return a.p.build.dot_general(x, w, {.lhs_contract = {2}, .rhs_contract = {0}});
  };
  a.p.graph.outputs = a.gradients(times(a.p.softmax(times(a.result))));
  const Plan found = plan(a.p.graph, gpu);
  CHECK(found.launches.size() <= 7);
  CHECK(largest_in_arena(found) < 4 * 32 * 48);
  against_interpreter::check(a.p.graph, {}, 3, gpu);
}

TEST_CASE("rewrite: on a GPU, layers without attention have the same plan without row tiles") {
  for (const bool normalized : {false, true}) {
    const Graph graph = layer(normalized);
    CHECK(plan_text(graph, gpu) == plan_text(graph, apart));
  }
  for (const bool streams : {false, true}) {
    const RematerializeRules rules{
        .fewest_elements = 1, .most_bytes_kept = 1, .growth = 1, .streams = streams};
    CHECK(rematerialize_all(layer(false), rules, {}).has_value() == !streams);
  }
}

TEST_CASE("rewrite: on a GPU, products that could stream and do not are computed once") {
  Attention a(64, 8192);  // too few thread blocks
  const Value w = a.p.input({8, 8});
  const auto times = [&](Value x) {
    return a.p.build.dot_general(x, w, {.lhs_contract = {2}, .rhs_contract = {0}});
  };
  a.p.graph.outputs = a.gradients(times(a.p.softmax(times(a.result))));
  const RematerializeRules rules{
      .fewest_elements = 1, .most_bytes_kept = 1, .growth = 1, .streams = true};
  CHECK_FALSE(rematerialize_all(a.p.graph, rules, {}));
  CHECK(plan_text(a.p.graph, gpu) == plan_text(a.p.graph, apart));
}

TEST_CASE("rewrite: logits that a loss reads in another shape are not recomputed") {
  Program p;
  const Value x = p.input({2, 128, 64}), w = p.input({64, 1000});
  const auto logits = p.build.dot_general(x, w, {.lhs_contract = {2}, .rhs_contract = {0}});
  const Value rows = p.build.reshape(logits, {256, 1000});
  const Value weights = p.build.reshape(p.softmax(rows), {2, 128, 1000});
  p.graph.outputs = {p.build.dot_general(weights, w, {.lhs_contract = {2}, .rhs_contract = {1}})};
  CHECK_FALSE(rewrite(p.graph, gpu).changed);
  CHECK(plan(p.graph, gpu).launches.size() == 3);
}

TEST_CASE("rewrite: a graph that no rewrite applies to is not copied") {
  Program p;
  const Value x = p.input({8, 8});
  p.graph.outputs = {p.apply(Op::sin, x)};
  const RewrittenGraph same = rewrite(p.graph, Options{});
  CHECK(&same.graph() == &p.graph);
  CHECK(to_string(same) == to_string(p.graph));
  verify(same);
}

TEST_CASE("rewrite: the text says what is recomputed; it is verified to wait for earlier nodes") {
  Attention a(32, 48);
  a.p.graph.outputs = a.gradients(a.p.input({4, 32, 8}));
  a.p.graph.outputs.push_back(a.result);
  RewrittenGraph found = rewrite(a.p.graph, gpu);
  REQUIRE(found.changed);
  verify(found);
  CHECK(to_string(found).find(" is recomputed transposed") != std::string::npos);
  found.after[1] = static_cast<NodeId>(found.after.size() - 1);
  CHECK_THROWS_AS(verify(found), InternalError);
  found.after.clear();
  CHECK_THROWS_AS(verify(found), InternalError);
}

TEST_CASE("rewrite: nothing is reordered under strict numerics") {
  Program p;
  p.graph.outputs = {p.build.reduce(Op::sum, p.input({1 << 22}), {0})};
  CHECK(rewrite(p.graph, {.target = host_target()}).changed);
  CHECK_FALSE(rewrite(p.graph, {.strict = true, .target = host_target()}).changed);
}

TEST_CASE("rewrite: with few queries on a GPU, thread blocks share the keys") {
  for (const std::int64_t queries : {1, 15}) {
    const Attention few(queries, 4096);
    CHECK(plan_text(few.p.graph, gpu) == plan_text(few.p.graph, apart));
  }
  CHECK(plan(Attention(64, 2048).p.graph, gpu).launches.size() == 1);
  CHECK(plan(Attention(64, 8192).p.graph, gpu).launches.size() == 3);
  CHECK(plan(Attention(64, 8192, 64).p.graph, gpu).launches.size() == 1);
}
