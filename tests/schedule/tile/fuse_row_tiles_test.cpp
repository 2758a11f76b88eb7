#include <doctest/doctest.h>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/tile/fuse_row_tiles.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

Plan planned(Program& p, Vector<Value> outputs) {
  p.graph.outputs = std::move(outputs);
  return plan(p.graph, {.row_tiles = true});
}

Value product(Program& p, Value x, Value y) {
  return p.build.dot_general(x, y, {.lhs_contract = {1}, .rhs_contract = {0}});
}

}  // namespace

TEST_CASE("row tiles: rows after a product are stages of its kernel, which keeps them local") {
  Program p;
  const Value x = p.input({32, 5}), w = p.input({5, 7});
  const Plan found = planned(p, {p.softmax(product(p, x, w))});
  REQUIRE(found.launches.size() == 1);
  const Kernel& kernel = found.kernels[0];
  CHECK(is_row_tiled(kernel));
  REQUIRE(kernel.stages.size() == 4);
  CHECK(kernel.stages[0].contracted.size() == 1);
  CHECK(kernel.grid.size() == 1);
  CHECK(found.buffers.size() == 3);  // no intermediates
  against_interpreter::check(p.graph, {}, 1, {.row_tiles = true});
}

TEST_CASE("row tiles: rows before a product are stages of its kernel") {
  Program p;
  const Value x = p.input({32, 5}), w = p.input({5, 7});
  const Plan found = planned(p, {product(p, p.softmax(x), w)});
  REQUIRE(found.launches.size() == 1);
  CHECK(is_row_tiled(found.kernels[0]));
  against_interpreter::check(p.graph, {}, 2, {.row_tiles = true});
}

TEST_CASE("row tiles: two products with rows between them are one kernel, batch by batch") {
  Program p;
  const Value q = p.input({3, 20, 4}), k = p.input({3, 6, 4}), v = p.input({3, 6, 2});
  const Value scores = p.build.dot_general(
      q, k, {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contract = {2}, .rhs_contract = {2}});
  const Value weights = p.softmax(scores);
  const Value mixed = p.build.dot_general(
      weights, v, {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contract = {2}, .rhs_contract = {1}});
  const Plan found = planned(p, {mixed});
  REQUIRE(found.launches.size() == 1);
  CHECK(found.kernels[0].grid.size() == 2);
  against_interpreter::check(p.graph, {}, 3, {.row_tiles = true});

  const Plan both = planned(p, {mixed, weights});  // the weights are an output too
  CHECK(both.launches.size() == 1);
  against_interpreter::check(p.graph, {}, 4, {.row_tiles = true});
}

TEST_CASE("row tiles: a kernel that reads other rows is not fused") {
  Program p;
  const Value x = p.input({32, 32}), w = p.input({32, 32});
  const Value y = product(p, x, w);
  const Value columns = p.softmax(p.build.permute(y, {1, 0}));
  CHECK(planned(p, {columns}).launches.size() == 1);  // its rows are columns of the product
  CHECK(planned(p, {columns, p.softmax(y)}).launches.size() == 2);
  against_interpreter::check(p.graph, {}, 5, {.row_tiles = true});
  CHECK(planned(p, {product(p, w, p.softmax(x))}).launches.size() == 2);
  against_interpreter::check(p.graph, {}, 6, {.row_tiles = true});
}

TEST_CASE("row tiles: a kernel that reads the elements of a row with a stride is not fused") {
  Program p;
  const Value x = p.input({20, 32}), w = p.input({20, 7});
  const Value transposed = p.build.permute(p.apply(Op::exp, x), {1, 0});
  CHECK(planned(p, {product(p, transposed, w)}).launches.size() == 2);
  against_interpreter::check(p.graph, {}, 8, {.row_tiles = true});
}

TEST_CASE("row tiles: few rows, and kernels for other targets, are not fused") {
  Program p;
  const Value x = p.input({4, 5}), w = p.input({5, 7});
  CHECK(planned(p, {p.softmax(product(p, x, w))}).launches.size() == 2);
  Program q;
  q.graph.outputs = {q.softmax(product(q, q.input({32, 5}), q.input({5, 7})))};
  CHECK(plan(q.graph, {}).launches.size() == 2);
}

TEST_CASE("row tiles: sizes may be symbolic, and be 0 or 1") {
  Program p;
  const Extent rows = Extent::symbol(0), keys = Extent::symbol(1);
  const Value x = p.input({rows, 5}), w = p.input({5, keys});
  const Plan found = planned(p, {p.softmax(product(p, x, w))});
  CHECK(found.launches.size() == 1);
  for (const std::int64_t m : {0, 1, 9}) {
    for (const std::int64_t n : {1, 4}) {
      against_interpreter::check(p.graph, {m, n}, 7, {.row_tiles = true});
    }
  }
}

TEST_CASE("row tiles: expensive values in rows of unknown size are computed once") {
  Program p;
  const Extent keys = Extent::symbol(0);
  const Value x = p.input({32, 5}), k = p.input({5, keys}), v = p.input({keys, 7});
  const Plan found = planned(p, {product(p, p.softmax(product(p, x, k)), v)});
  REQUIRE(found.launches.size() == 1);
  int powers = 0;
  for (const Instruction& one : found.kernels[0].instructions) {
    powers += one.code == Code::compute && one.op == Op::exp;
  }
  CHECK(powers == 1);
  for (const std::int64_t size : {0, 1, 6, 40}) {
    against_interpreter::check(p.graph, {size}, 4, {.row_tiles = true});
  }
}
