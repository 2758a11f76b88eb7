#include <doctest/doctest.h>
#include <sinter/schedule/tile/node_accesses.hpp>
#include <sinter/schedule/tile/tiled_groups.hpp>

#include "lowered.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using lowered_programs::lowered;
using lowered_programs::product;
using programs::Program;

TEST_CASE("node accesses: the writer and the readers of a node, and which of its axes are rows") {
  Program p;
  const Value y = product(p, p.input({32, 5}), p.input({5, 7}));
  const auto kernels = lowered(p, {p.softmax(y)});
  const NodeAccesses accesses(p.graph, kernels);
  CHECK(accesses.writer(y.node) == 0);
  CHECK(accesses.readers(y.node) == Vector<std::size_t>{1});
  CHECK_FALSE(accesses.is_output(y.node));
  CHECK(accesses.is_output(p.graph.outputs[0].node));
  const auto group = create_tiled_groups(p.graph, kernels, {}).at(0);
  const AxisNumbers axes = accesses.row_axes(group.members[0], y.node);
  CHECK(axes == AxisNumbers{0});
  CHECK(accesses.reads_rows(group.members[1], y.node, axes));
}
