#include <doctest/doctest.h>
#include <sinter/schedule/launch/restrict_to_changes.hpp>

#include <algorithm>

#include "lowered.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using lowered_programs::lowered;
using programs::Program;

namespace {

// A select of `changed` where `holds`, of (64), is true, and of x of (8, 64, 16) elsewhere,
// lowered.
LoweredKernel selected(Program& p, Value x, Value holds, Value changed) {
  const Shape shape = p.build.shape(x);
  const Value mask = p.build.expand(p.build.reshape(holds, {1, 64, 1}), shape);
  return lowered(p, {p.build.select(mask, changed, x)}).at(0);
}

Value spread(Program& p, Value row) {
  return p.build.expand(p.build.reshape(row, {8, 1, 16}), {8, 64, 16});
}

Value positions(Program& p) { return p.build.iota({i64, {64}}, 0); }

// True at the position `at`, which is known only at run time.
Value is_at(Program& p, Value at) {
  const Value found = p.build.gather(positions(p), at, 0);
  const Value spread = p.build.expand(p.build.reshape(found, {1}), {64});
  return p.build.elementwise(Op::eq, {positions(p), spread});
}

ValueId store_of(const Kernel& kernel) {
  return static_cast<ValueId>(kernel.instructions.size()) - 1;
}

std::int32_t argument_of(const LoweredKernel& lowered, Value node) {
  const auto found = std::find(lowered.nodes.begin(), lowered.nodes.end(), node.node);
  return static_cast<std::int32_t>(found - lowered.nodes.begin());
}

Extent points(const Kernel& kernel) {
  Extent result = 1;
  for (const Loop& loop : kernel.grid) result *= loop.extent;
  return result;
}

}  // namespace

TEST_CASE("sparse update: one row at a bound position") {
  Program p;
  const Value x = p.input({8, 64, 16}), row = p.input({8, 16});
  const Value at = p.input({}, i64);
  LoweredKernel kernel = selected(p, x, is_at(p, at), spread(p, row));
  REQUIRE(same(points(kernel.kernel), 8 * 64 * 16));
  CHECK(restrict_to_changes(kernel, store_of(kernel.kernel), argument_of(kernel, x)));
  verify(kernel.kernel);
  CHECK(same(points(kernel.kernel), 8 * 16));
  CHECK(kernel.kernel.arguments.size() == 3);  // the row, the position and the result
  CHECK(kernel.nodes.size() == 3);
  CHECK(has(kernel.kernel, Code::bind));
  CHECK(!has(kernel.kernel, Code::compute));
}

TEST_CASE("sparse update: a constant range of rows") {
  Program p;
  const Value x = p.input({8, 64, 16}), row = p.input({8, 16});
  const Value yes = p.build.constant(constant(true), {boolean, {5}});
  const Value holds = p.build.pad(yes, {7}, {52}, constant(false));
  LoweredKernel kernel = selected(p, x, holds, spread(p, row));
  CHECK(restrict_to_changes(kernel, store_of(kernel.kernel), argument_of(kernel, x)));
  verify(kernel.kernel);
  CHECK(same(points(kernel.kernel), 8 * 5 * 16));
  CHECK(kernel.kernel.arguments.size() == 2);
}

TEST_CASE("sparse update: not if more elements change, or it is unknown which") {
  Program p;
  const Value x = p.input({8, 64, 16}), row = p.input({8, 16}), mask = p.input({64}, boolean);
  const Value other = p.input({8, 64, 16}), at = p.input({}, i64);
  LoweredKernel masked = selected(p, x, mask, spread(p, row));
  const Kernel before = masked.kernel;
  CHECK(!restrict_to_changes(masked, store_of(masked.kernel), argument_of(masked, x)));
  CHECK(hash_of(masked.kernel) == hash_of(before));
  LoweredKernel elsewhere = selected(p, x, is_at(p, at), spread(p, row));
  CHECK(!restrict_to_changes(elsewhere, store_of(elsewhere.kernel), argument_of(elsewhere, row)));
  LoweredKernel flipped = selected(p, p.build.flip(x, {1}), is_at(p, at), other);
  CHECK(!restrict_to_changes(flipped, store_of(flipped.kernel), argument_of(flipped, x)));
}

TEST_CASE("sparse update: all checks run, also for elements that are not written") {
  Program p;
  const Value x = p.input({8, 64, 16}), row = p.input({8, 16}), at = p.input({}, i64);
  const LoweredKernel one = checks_of(selected(p, x, is_at(p, at), spread(p, row)));
  verify(one.kernel);
  CHECK(one.nodes == Vector<NodeId>{at.node});
  CHECK(one.kernel.grid.empty());
  CHECK(!has(one.kernel, Code::store));
  // Gathered rows are checked also where they are not written.
  const Value table = p.input({9, 16}), rows = p.input({64}, i64);
  const Value taken =
      p.build.expand(p.build.reshape(p.build.gather(table, rows, 0), {1, 64, 16}), {8, 64, 16});
  const LoweredKernel all = checks_of(selected(p, x, is_at(p, at), taken));
  verify(all.kernel);
  CHECK(same(points(all.kernel), 64));
  CHECK(all.nodes.size() == 2);
}
