#include <doctest/doctest.h>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/launch/sparse_updates.hpp>
#include <sinter/schedule/plan.hpp>

#include "lowered.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using lowered_programs::lowered;
using programs::Program;

namespace {

struct Added {
  Program p{};
  Value x = p.input({50, 8}), rows = p.input({3}, i64), y = p.input({3, 8});
  Value sum = p.build.scatter_add(x, rows, y, 0);
};

Plan planned(Program& p, Vector<Value> outputs, Vector<Update> updates) {
  p.graph.outputs = std::move(outputs);
  return plan(p.graph, {.updates = std::move(updates), .row_tiles = true, .target = host_target()});
}

}  // namespace

TEST_CASE("sparse update: an addition to a copy becomes one to the state, after its checks") {
  Added added;
  const Vector<LoweredKernel> kernels = lowered(added.p, {added.sum});
  const NodeUpdate updates[]{{added.x.node, added.sum.node}};
  const Vector<SparseUpdate> changes = find_sparse_updates(kernels, updates);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].copy == 0);
  const Vector<LoweredKernel> changed = with_sparse_updates(kernels, changes);
  REQUIRE(changed.size() == 2);
  CHECK(changed[0].nodes == Vector<NodeId>{added.rows.node});
  CHECK(changed[1].is_checked);
  CHECK(find_sparse_updates(kernels, {}).empty());
}

TEST_CASE("sparse update: rows of two states at one position are checked once") {
  Added added;
  const Value x = added.p.input({50, 8});
  const Value sum = added.p.build.scatter_add(x, added.rows, added.y, 0);
  const Plan two = planned(added.p, {added.sum, sum}, {{0, 0}, {3, 1}});
  verify(two);
  CHECK(two.launches.size() == 3);
  CHECK(two.sparse_updates.size() == 2);
}

TEST_CASE(
    "sparse update: not for an output that is returned twice, or a value that is read afterwards") {
  Added twice;
  CHECK(planned(twice.p, {twice.sum, twice.sum}, {{0, 1}}).sparse_updates.empty());
  Added read;  // the difference needs both
  const Value change = read.p.build.sub(read.sum, read.x);
  const Plan both = planned(read.p, {change, read.sum}, {{0, 1}});
  verify(both);
  CHECK(both.sparse_updates.empty());
  Added before;  // the sum of the old rows can be computed first
  const Value old = before.p.build.reduce(Op::sum, before.x, {0, 1});
  CHECK(planned(before.p, {old, before.sum}, {{0, 1}}).sparse_updates.size() == 1);
  Added none;
  CHECK(planned(none.p, {none.sum}, {}).sparse_updates.empty());
}
