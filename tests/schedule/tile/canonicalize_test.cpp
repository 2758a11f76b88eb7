#include <doctest/doctest.h>
#include <sinter/schedule/tile/canonicalize.hpp>
#include <sinter/schedule/tile/fuse_row_tiles.hpp>

#include <algorithm>

#include "lowered.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using lowered_programs::lowered;
using programs::Program;

namespace {

std::size_t loads(const Kernel& kernel, Access access) {
  const auto reads = [&](const Instruction& one) {
    return one.code == Code::load &&
           kernel.arguments[static_cast<std::size_t>(one.argument)].access == access;
  };
  return static_cast<std::size_t>(
      std::count_if(kernel.instructions.begin(), kernel.instructions.end(), reads));
}

std::size_t most_loops(const Kernel& kernel) {
  std::size_t result = 0;
  for (const Stage& stage : kernel.stages) {
    result = std::max({result, stage.loops.size(), stage.contracted.size()});
  }
  return result;
}

// The row-tiled kernel of two products around a softmax over two axes.
Kernel row_tile_of_two_axes() {
  Program p;
  const Value q = p.input({2, 32, 8}), k = p.input({2, 3, 16, 8}), v = p.input({2, 3, 16, 8});
  const Value scores = p.build.dot_general(q, k, {{0}, {0}, {2}, {3}});  // 2, 32, 3, 16
  const Value e = p.apply(Op::exp, scores);
  const Value total = p.build.reshape(p.build.reduce(Op::sum, e, {2, 3}), {2, 32, 1, 1});
  const Value weights = p.build.div(e, p.build.expand(total, {2, 32, 3, 16}));
  const Value out = p.build.dot_general(weights, v, {{0}, {0}, {2, 3}, {1, 2}});
  const auto kernels = fuse_row_tiles(p.graph, lowered(p, {out}));
  REQUIRE(kernels.size() == 1);
  return kernels[0].kernel;
}

// The same with one axis, and the row sums as an output, which the last product reads.
Kernel row_tile_with_sums() {
  Program p;
  const Value q = p.input({2, 32, 8}), k = p.input({2, 16, 8}), v = p.input({2, 16, 8});
  const Value e = p.apply(Op::exp, p.build.dot_general(q, k, {{0}, {0}, {2}, {2}}));
  const Value total = p.build.reduce(Op::sum, e, {2});
  const Value out = p.build.dot_general(e, v, {{0}, {0}, {2}, {1}});
  const Value spread = p.build.expand(p.build.reshape(total, {2, 32, 1}), {2, 32, 8});
  const auto kernels = fuse_row_tiles(p.graph, lowered(p, {total, p.build.div(out, spread)}));
  REQUIRE(kernels.size() == 1);
  return kernels[0].kernel;
}

}  // namespace

TEST_CASE("canonicalize: several loops over a local row become one") {
  Kernel kernel = row_tile_of_two_axes();
  CHECK(most_loops(kernel) == 2);
  merge_row_loops(kernel);
  verify(kernel);
  CHECK(most_loops(kernel) == 1);
  for (const Instruction& one : kernel.instructions) {
    if (one.argument < 0) continue;
    const Argument& argument = kernel.arguments[static_cast<std::size_t>(one.argument)];
    if (argument.access == Access::local) CHECK(one.index.is_range());
  }
}

TEST_CASE("canonicalize: stores of row scalars are forwarded to their loads") {
  Kernel kernel = row_tile_with_sums();
  CHECK(loads(kernel, Access::read_write) == 1);
  forward_stores(kernel);
  verify(kernel);
  CHECK(loads(kernel, Access::read_write) == 0);
  CHECK(std::none_of(kernel.arguments.begin(), kernel.arguments.end(),
                     [](const Argument& one) { return one.access == Access::read_write; }));
}
