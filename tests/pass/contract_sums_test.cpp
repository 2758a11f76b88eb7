#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/pass/contract_sums.hpp>
#include <sinter/pass/pipeline.hpp>

#include <cmath>

#include "numbers.hpp"

using namespace sinter;
using namespace sinter::detail;
using numbers::Constants;

namespace {

/// A batch of matrices times a batch of matrices.
struct Batches {
  Graph graph{};
  Builder build{graph};

  Value product(const Shape& lhs, const Shape& rhs, AxisList batch = {0}, DType dtype = f32) {
    const Value x = build.input({dtype, lhs}), y = build.input({dtype, rhs});
    return build.dot_general(x, y, {batch, batch, {lhs.size() - 1}, {rhs.size() - 2}});
  }
  std::string after(Vector<Value> outputs, pass::Options options = {}) {
    graph.outputs = std::move(outputs);
    return to_string(pass::optimize(graph, options));
  }
  bool stays(Vector<Value> outputs, pass::Options options = {}) {
    const std::string found = after(std::move(outputs), options);
    return found == to_string(graph);
  }
};

bool has_sum(const std::string& graph) { return graph.find("= sum") != std::string::npos; }

/// The numbers of `graph` and of what the pass makes of it, for sizes `symbols`, are near.
bool agrees(const Graph& graph, const std::vector<std::int64_t>& sizes,
            const std::vector<std::int64_t>& symbols = {}) {
  std::vector<Constants> inputs;
  std::int64_t state = 1;
  for (const std::int64_t size : sizes) {
    inputs.emplace_back();
    for (std::int64_t i = 0; i < size; ++i) {
      state = (state * 75 + 74) % 65537;
      inputs.back().push_back(constant(static_cast<double>(state % 17) - 8.0, f32));
    }
  }
  const Graph contracted = pass::contract_sums(graph);
  const auto expected = numbers::run(graph, inputs, symbols);
  const auto found = numbers::run(contracted, inputs, symbols);
  if (has_sum(to_string(contracted)) || found[0].size() != expected[0].size()) return false;
  for (std::size_t i = 0; i < expected[0].size(); ++i) {
    if (found[0][i].floating() != expected[0][i].floating()) return false;  // whole numbers
  }
  return true;
}

}  // namespace

TEST_CASE("contract_sums: the sum over the batch of a product is one product") {
  Batches b;
  const Value sum = b.build.reduce(Op::sum, b.product({5, 3, 4}, {5, 4, 2}), {0});
  CHECK(b.after({sum}) ==
        "%0: f32[5, 3, 4] = input\n"
        "%1: f32[5, 4, 2] = input\n"
        "%2: f32[3, 2] = dot_general %0 %1 lhs_batch=[] rhs_batch=[] lhs_contract=[0, 2] "
        "rhs_contract=[0, 1]\n"
        "return %2\n");
}

TEST_CASE("contract_sums: a part of the batch, permuted and divided by a reshape") {
  Batches b;
  const Value product = b.product({2, 6, 3, 4}, {2, 6, 4, 5}, {0, 1});
  const Value moved = b.build.permute(product, {3, 0, 1, 2});
  const Value apart = b.build.reshape(moved, {5, 2, 1, 2, 3, 3});
  const Value sum = b.build.reduce(Op::sum, apart, {4});
  CHECK(b.after({sum}) ==
        "%0: f32[2, 6, 3, 4] = input\n"
        "%1: f32[2, 6, 4, 5] = input\n"
        "%2: f32[2, 2, 3, 3, 4] = reshape %0\n"
        "%3: f32[2, 2, 3, 4, 5] = reshape %1\n"
        "%4: f32[2, 2, 3, 5] = dot_general %2 %3 lhs_batch=[0, 1] rhs_batch=[0, 1] "
        "lhs_contract=[2, 4] rhs_contract=[2, 3]\n"
        "%5: f32[5, 2, 2, 3] = permute %4 axes=[3, 0, 1, 2]\n"
        "%6: f32[5, 2, 1, 2, 3] = reshape %5\n"
        "return %6\n");
  b.graph.outputs = {sum};
  CHECK(agrees(b.graph, {2 * 6 * 3 * 4, 2 * 6 * 4 * 5}));
}

TEST_CASE("contract_sums: axes that are merged, axes of one element, any order of the batch") {
  Batches b;
  const Value x = b.build.input({f32, {3, 1, 2, 4, 5}}), y = b.build.input({f32, {5, 4, 1, 3, 2}});
  const Value product = b.build.dot_general(x, y, {{2, 0, 1}, {4, 3, 2}, {4}, {0}});
  const Value merged = b.build.reshape(product, {6, 4, 4});  // 2, 3, 1 in one
  const Value apart = b.build.reshape(merged, {2, 3, 1, 16});
  for (const auto& [from, axes] : {std::pair{product, AxisList{0, 1}},
                                   {product, AxisList{1}},
                                   {merged, AxisList{0}},
                                   {b.build.permute(merged, {1, 2, 0}), AxisList{2}},
                                   {apart, AxisList{0, 1}}}) {
    INFO("axes " << text(axes) << " of " << b.build.shape(from));
    b.graph.outputs = {b.build.reduce(Op::sum, from, axes)};
    CHECK(agrees(rewrite(b.graph, {}), {3 * 2 * 4 * 5, 5 * 4 * 3 * 2}));
  }
}

TEST_CASE("contract_sums: sizes that are symbols") {
  Batches b;
  const Extent count = Extent::symbol(0, {.min = 0, .max = 9}), rows = Extent::symbol(1, {});
  const Value product = b.product({count, 4, 3, rows}, {count, 4, rows, 2}, {0, 1});
  const Value apart = b.build.reshape(b.build.permute(product, {0, 1, 3, 2}), {count, 2, 2, 2, 3});
  b.graph.outputs = {b.build.reduce(Op::sum, apart, {2})};
  for (const auto& [n, m] : {std::pair{2, 5}, {1, 1}, {3, 0}, {0, 2}}) {
    INFO("sizes " << n << " and " << m);
    CHECK(agrees(b.graph, {n * 4 * 3 * m, n * 4 * m * 2}, {n, m}));
  }
}

TEST_CASE("contract_sums: other sums stay, and all of them under strict") {
  const auto of = [](const Shape& lhs, const Shape& rhs, AxisList axes, pass::Options options) {
    Batches b;
    const Value product = b.product(lhs, rhs, {0}, options.strict ? f64 : f32);
    return b.stays({b.build.reduce(Op::sum, product, std::move(axes))}, options);
  };
  CHECK_FALSE(of({5, 3, 4}, {5, 4, 2}, {0}, {}));
  CHECK(of({5, 3, 4}, {5, 4, 2}, {0}, {.strict = true}));
  CHECK(of({5, 3, 4}, {5, 4, 2}, {1}, {}));     // rows
  CHECK(of({5, 3, 4}, {5, 4, 2}, {0, 2}, {}));  // columns as well
  CHECK(of({5, 4}, {5, 4, 2}, {0}, {}));        // no rows: few elements, long sums
  Batches b;
  const Value product = b.product({5, 3, 4}, {5, 4, 2});
  const Value sum = b.build.reduce(Op::sum, product, {0});
  CHECK(b.stays({sum, product}));  // which would be computed twice
}

TEST_CASE("contract_sums: graphs in nodes too") {
  Batches body;
  body.graph.outputs = {body.build.reduce(Op::sum, body.product({5, 3, 4}, {5, 4, 2}), {0})};
  Node node{.op = Op::cond};
  node.bodies = {body.graph};
  Graph graph;
  graph.nodes.push_back(std::move(node));
  CHECK_FALSE(has_sum(to_string(pass::contract_sums(graph).nodes.at(0).bodies.at(0))));
}
