#include <doctest/doctest.h>
#include <sinter/schedule/launch/in_place.hpp>
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

Plan planned(Program& p, std::vector<Value> outputs, std::vector<Update> updates) {
  p.graph.outputs = std::move(outputs);
  return plan(p.graph, {.updates = std::move(updates), .blocks = true, .host = true});
}

}  // namespace

TEST_CASE("in place: an addition to a copy becomes one to the state, behind its checks") {
  Added added;
  const std::vector<Lowered> kernels = lowered(added.p, {added.sum});
  const Overwriting updates[]{{added.x.node, added.sum.node}};
  const std::vector<InPlace> changes = in_place(kernels, updates);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].copy == 0);
  const std::vector<Lowered> changed = with_changes(kernels, changes);
  REQUIRE(changed.size() == 2);
  CHECK(changed[0].nodes == std::vector<NodeId>{added.rows.node});
  CHECK(changed[1].is_checked);
  CHECK(in_place(kernels, {}).empty());
}

TEST_CASE("in place: rows of two states at one position are checked once") {
  Added added;
  const Value x = added.p.input({50, 8});
  const Value sum = added.p.build.scatter_add(x, added.rows, added.y, 0);
  const Plan two = planned(added.p, {added.sum, sum}, {{0, 0}, {3, 1}});
  verify(two);
  CHECK(two.launches.size() == 3);
  CHECK(two.begun.size() == 2);
}

TEST_CASE("in place: not what is an output twice, or what is read when it is replaced") {
  Added twice;
  CHECK(planned(twice.p, {twice.sum, twice.sum}, {{0, 1}}).begun.empty());
  Added read;  // the difference needs both
  const Value change = read.p.build.sub(read.sum, read.x);
  const Plan both = planned(read.p, {change, read.sum}, {{0, 1}});
  verify(both);
  CHECK(both.begun.empty());
  Added before;  // the sum of the old rows can be had first
  const Value old = before.p.build.reduce(Op::sum, before.x, {0, 1});
  CHECK(planned(before.p, {old, before.sum}, {{0, 1}}).begun.size() == 1);
  Added none;
  CHECK(planned(none.p, {none.sum}, {}).begun.empty());
}
