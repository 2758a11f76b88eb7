#pragma once
// A kernel of two products with a mask between them.

#include <cmath>

#include <sinter/schedule/plan.hpp>

#include "programs.hpp"

namespace causal {

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

// Causal attention: weights of the keys up to the query, times values. With `gathers`, scores and
// results are multiplied by gathered values; with `transposed`, keys from the query on count.
inline Kernel causal_kernel(bool output_weights = false, bool gathers = false,
                            bool transposed = false) {
  Program p;
  const Value q = p.input({64, 4}), k = p.input({64, 4}), v = p.input({64, 2});
  const auto times_read = [&](Value x, Extent columns) {
    if (!gathers) return x;
    const Value read = p.build.gather(p.input({9}), p.input({columns}, i64), 0);
    return p.build.mul(x, p.broadcast(read, {64, columns}));
  };
  const Value product = p.build.dot_general(q, k, {.lhs_contract = {1}, .rhs_contract = {1}});
  const Value scores = times_read(product, 64);
  const Value row = p.build.iota({i64, {64, 64}}, 0), column = p.build.iota({i64, {64, 64}}, 1);
  const Value none = p.number(-HUGE_VAL, scores);
  const Value seen = p.build.elementwise(transposed ? Op::le : Op::ge, {row, column});
  const Value masked = p.build.select(seen, scores, none);
  const Value weights = p.softmax(masked);
  const Value mixed = p.build.dot_general(weights, v, {.lhs_contract = {1}, .rhs_contract = {0}});
  p.graph.outputs = {times_read(mixed, 2)};
  if (output_weights) p.graph.outputs.push_back(weights);
  const Plan found = plan(p.graph, {.row_tiles = true});
  return found.kernels.at(0);
}

}  // namespace causal
