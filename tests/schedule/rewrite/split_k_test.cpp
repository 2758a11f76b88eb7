// test: deep
#include <doctest/doctest.h>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/rewrite/split_k.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

// The gradient of a weight: (depth, rows) times (depth, columns) to (rows, columns).
Value gradient(Program& p, std::int64_t rows, std::int64_t columns, Extent depth,
               DType dtype = f32) {
  const Value x = p.input({depth, rows}, dtype), y = p.input({depth, columns}, dtype);
  return p.build.dot_general(x, y, {.lhs_contract = {0}, .rhs_contract = {0}});
}

std::int64_t splits(std::int64_t rows, std::int64_t columns, Extent depth, DType dtype = bf16) {
  Program p;
  const Value product = gradient(p, rows, columns, depth, dtype);
  return split_k_factor(p.graph, p.graph[product.node]);
}

Options for_gpu() { return {.target = gpu_target()}; }

}  // namespace

TEST_CASE("split_k: splits keep a GPU busy, and each is worth a thread block") {
  CHECK(splits(64, 64, 65536) ==
        64);  // limited by the least depth of 1024, not by 264 thread blocks
  CHECK(splits(64, 64, 65536, f32) ==
        256);                           // f32 steps take longer, so that the least depth is 256
  CHECK(splits(512, 512, 65536) == 4);  // 64 blocks
  CHECK(splits(256, 256, 65536) == 16);
  CHECK(splits(1024, 1024, 65536) == 1);  // enough blocks
  CHECK(splits(64, 64, 2048) == 1);       // too short
  CHECK(splits(64, 64, 4096) == 4);
  CHECK(splits(64, 64, 1024, f32) == 4);
  CHECK(splits(8, 64, 65536) == 32);  // few rows: blocks of few columns
  CHECK(splits(8, 4096, 65536) == 1);
  CHECK(splits(64, 64, 50000) == 25);  // of a multiple of 16; 40 would not be
  CHECK(splits(64, 64, 65537) == 1);   // a prime
  CHECK(splits(64, 64, Extent::symbol(0)) == 1);
  CHECK(splits(64, 64, 0) == 1);
  CHECK(splits(64, 64, 65536, i32) == 1);
}

TEST_CASE("split_k: batched products and products of attention weights are not split") {
  Program p;
  const Value x = p.input({2, 64, 65536}), y = p.input({2, 65536, 64});
  const Value product = p.build.dot_general(
      x, y, {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contract = {2}, .rhs_contract = {1}});
  CHECK(split_k_factor(p.graph, p.graph[product.node]) == 1);
  Program q;
  const Value weights = q.softmax(q.input({64, 65536})), values = q.input({65536, 64});
  const Value sum =
      q.build.dot_general(weights, values, {.lhs_contract = {1}, .rhs_contract = {0}});
  CHECK(split_k_factor(q.graph, q.graph[sum.node]) == 1);
}

TEST_CASE("split_k: on a GPU there are two kernels, the second with the epilogue") {
  Program p;
  const Value product = gradient(p, 32, 48, 4096, bf16);
  p.graph.outputs = {p.apply(Op::tanh, product)};
  const Plan plan = schedule::plan(p.graph, for_gpu());
  REQUIRE(plan.launches.size() == 2);
  const Buffer& partial = plan.buffers[static_cast<std::size_t>(plan.launches[0].buffers[2])];
  CHECK(same(partial.elements, 4 * 32 * 48));
  CHECK(partial.dtype == f32);
  CHECK(to_string(plan.kernels[1]).find("tanh") != std::string::npos);
  CHECK(schedule::plan(p.graph, {}).launches.size() == 1);
  CHECK(schedule::plan(p.graph, {.strict = true, .target = gpu_target()}).launches.size() == 1);
}

TEST_CASE("split_k: results are correct whichever axes are contracted") {
  const auto check = [](Shape left, Shape right, DotAxes axes) {
    Program p;
    const Value x = p.input(left), y = p.input(right);
    const Value product = p.build.dot_general(x, y, std::move(axes));
    REQUIRE(split_k_factor(p.graph, p.graph[product.node]) > 1);
    p.graph.outputs = {p.build.add(product, p.apply(Op::sin, product))};
    against_interpreter::check(p.graph, {}, 3, for_gpu());
  };
  check({1280, 5}, {1280, 7}, {.lhs_contract = {0}, .rhs_contract = {0}});
  check({5, 1280}, {7, 1280}, {.lhs_contract = {1}, .rhs_contract = {1}});
  check({5, 1280}, {1280, 7}, {.lhs_contract = {1}, .rhs_contract = {0}});
  check({4, 320, 5}, {7, 4, 320}, {.lhs_contract = {0, 1}, .rhs_contract = {1, 2}});
  check({320, 9, 4, 2}, {4, 320, 3}, {.lhs_contract = {2, 0}, .rhs_contract = {0, 1}});
}

namespace {

// Sums over `heads` query heads that share `keys` key heads, weighted by their scores.
Value sums_of_heads(Program& p, std::int64_t keys, std::int64_t heads, std::int64_t rows,
                    std::int64_t depth, DType dtype = f32) {
  const Value q = p.input({keys, heads, rows, depth}, dtype);
  const Value k = p.input({keys, heads, rows, depth}, dtype);
  const Value scores = p.build.dot_general(q, k, {{0, 1}, {0, 1}, {3}, {3}});
  return p.build.dot_general(p.apply(Op::sin, scores), q, {{0}, {0}, {1, 2}, {1, 2}});
}

std::int64_t splits_of_heads(std::int64_t keys, std::int64_t heads, std::int64_t rows,
                             std::int64_t depth = 8) {
  Program p;
  const Value sums = sums_of_heads(p, keys, heads, rows, depth);
  return split_k_factor(p.graph, p.graph[sums.node]);
}

}  // namespace

TEST_CASE(
    "split_k: products over heads that share keys are split if there are too few thread blocks") {
  CHECK(splits_of_heads(2, 4, 1100) == 4);
  CHECK(splits_of_heads(2, 4, 500) == 1);        // too short
  CHECK(splits_of_heads(2, 4, 2048) == 1);       // enough blocks
  CHECK(splits_of_heads(8, 4, 1100) == 1);       // enough blocks, too
  CHECK(splits_of_heads(2, 4, 1100, 129) == 1);  // scores are too deep to recompute
  CHECK(splits_of_heads(2, 100, 24) == 1);       // the sums are as large as the scores
}

TEST_CASE("split_k: products split by heads give equal results") {
  Program p;
  const Value sums = sums_of_heads(p, 2, 36, 66, 2, f64);
  REQUIRE(split_k_factor(p.graph, p.graph[sums.node]) == 36);
  p.graph.outputs = {sums};
  against_interpreter::check(p.graph, {}, 3, for_gpu());
}

TEST_CASE("split_k: the scores of heads that share keys are not in memory") {
  Program p;
  p.graph.outputs = {sums_of_heads(p, 2, 4, 1100, 8)};
  const Plan plan = schedule::plan(p.graph, {.row_tiles = true, .target = gpu_target()});
  CHECK(plan.launches.size() == 2);
  REQUIRE(plan.arena_bytes.is_number());
  CHECK(plan.arena_bytes.number() <= 4 * (2 * 4 * 1100 * 8));
}
