#include <doctest/doctest.h>
#include <sinter/schedule/block_group.hpp>

#include "lowered.hpp"

using namespace sinter;
using namespace sinter::schedule;
using lowered_programs::lowered;
using lowered_programs::product;
using programs::Program;

TEST_CASE("block_group: a product and the rows that read it have the rows in common") {
  Program p;
  const auto kernels = lowered(p, {p.softmax(product(p, p.input({32, 5}), p.input({5, 7})))});
  const std::vector<Group> groups = group_rows(p.graph, kernels);
  REQUIRE(groups.size() == 1);
  REQUIRE(groups[0].pieces.size() == 2);
  for (const Piece& piece : groups[0].pieces) {
    REQUIRE(piece.rows.size() == 1);
    CHECK(same(piece.rows[0].range_extent(), 32));
  }
}

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

TEST_CASE("block_group: rows without a product, and large products in a row, are no group") {
  Program p;
  CHECK(group_rows(p.graph, lowered(p, {p.softmax(p.input({32, 5}))})).empty());
  Program q;
  const Value hidden = product(q, q.input({64, 1024}), q.input({1024, 1024}));
  const Value y = product(q, q.apply(Op::tanh, hidden), q.input({1024, 1024}));
  CHECK(group_rows(q.graph, lowered(q, {y})).empty());
}
