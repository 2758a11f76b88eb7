#include <doctest/doctest.h>
#include <sinter/schedule/tile/grouping.hpp>
#include <sinter/schedule/tile/row_group.hpp>

#include "lowered.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using lowered_programs::lowered;
using lowered_programs::product;
using programs::Program;

TEST_CASE("block_group: traces know who writes a node, who reads it, and which axes are rows") {
  Program p;
  const Value y = product(p, p.input({32, 5}), p.input({5, 7}));
  const auto kernels = lowered(p, {p.softmax(y)});
  const Traces traces(p.graph, kernels);
  CHECK(traces.writer(y.node) == 0);
  CHECK(traces.readers(y.node) == std::vector<std::size_t>{1});
  CHECK_FALSE(traces.is_output(y.node));
  CHECK(traces.is_output(p.graph.outputs[0].node));
  const auto group = group_rows(p.graph, kernels).at(0);
  const std::vector<int> axes = traces.row_axes(group.pieces[0], y.node);
  CHECK(axes == std::vector<int>{0});
  CHECK(traces.reads_rows(group.pieces[1], y.node, axes));
}
