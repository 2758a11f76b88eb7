#include <doctest/doctest.h>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/profitability.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/rewrite/chunked_reductions.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

// Why `reader` loads `value`, of the groups of a graph.
std::string_view reason(const Graph& graph, NodeId value, NodeId reader,
                        const Target& target = {}) {
  Refusals refusals;
  create_fusion_groups(graph, analyze_fusion(graph), find_partial_reductions(graph), target,
                       &refusals);
  return refusals.reason(value, reader);
}

std::string_view reason(Program& p, Value value, Value reader, const Target& target = {}) {
  p.graph.outputs = {value, reader};
  return reason(p.graph, value.node, reader.node, target);
}

}  // namespace

TEST_CASE("loss: rows that threads could not share are a kernel before their readers") {
  for (const std::int64_t columns : {1 << 10, 1 << 22}) {
    Program p;
    const Value x = p.input({2, columns}), peak = p.build.reduce(Op::max, x, {1});
    const Value y = p.build.sub(x, p.build.expand(p.build.reshape(peak, {2, 1}), {2, columns}));
    CHECK(reason(p, peak, y) == (columns == 1 << 10 ? "" : refusal::few_rows));
  }
}

TEST_CASE("loss: a scan takes its readers where the target says so, but no expensive ones") {
  for (const bool takes : {false, true}) {
    Target target;
    target.scans_take_readers = takes;
    for (const Op op : {Op::neg, Op::exp}) {
      Program p;
      const Value sums = p.build.cumulate(Op::cumsum, p.input({8, 64}), 1), y = p.apply(op, sums);
      const bool fused = takes && op == Op::neg;
      CHECK(reason(p, sums, y, target) == (fused ? "" : facts_of(GroupKind::scan).obstacle));
    }
  }
}

TEST_CASE("loss: a scalar that combines scalar reductions waits for both") {
  Program p;
  const Value x = p.input({100'000}), y = p.input({100'000});
  const Value a = p.build.reduce(Op::sum, p.build.mul(x, x), {0});
  const Value b = p.build.reduce(Op::sum, p.build.mul(y, y), {0});
  CHECK(reason(p, b, p.build.div(a, b)) == "it combines scalar reductions of independent kernels");
}

TEST_CASE("loss: scalars do not wait for other operands of a tensor of one element") {
  Program p;
  const Value scalar = p.apply(Op::exp, p.input({}));
  const Value y = p.build.mul(p.input({1}), p.broadcast(scalar, {1}));
  CHECK(reason(p, scalar, y) ==
        "the kernel of a few scalars does not wait for other operands of their reader");
}

TEST_CASE("loss: partial sums of short windows get a kernel of their own on the host") {
  for (const std::int64_t width : {2, 64}) {
    Program p;
    const Value x = p.input({64, 16, 2, width});
    const Value window = p.build.reduce(Op::max, x, {2, 3});
    p.graph.outputs = {window, p.build.reduce(Op::sum, window, {0})};
    const Graph graph = rfactor_into_chunks(p.graph).value();
    const NodeId partial = find_partial_reductions(graph).begin()->first;
    const NodeId max = graph.outputs[0].node;
    const std::string_view found = reason(graph, max, partial, host_target());
    CHECK(found == (width == 2 ? "partial sums of short windows are not vectorized" : ""));
  }
}

TEST_CASE("loss: the host reduces segments of rows in loops if they are long enough") {
  for (const std::int64_t length : {8, 100}) {
    Program p;
    const Shape shape{4000, 4, length};
    const Value x = p.input(shape), total = p.build.reduce(Op::sum, x, {1, 2});
    const Value rows = p.build.sub(x, p.broadcast(p.build.reshape(total, {4000, 1, 1}), shape));
    const Value squares = p.build.mul(rows, rows);
    Target target = host_target();
    target.segments.most_results = 1 << 20;
    p.graph.outputs = {rows, p.build.reduce(Op::sum, squares, {2})};
    const std::string_view found = reason(p.graph, squares.node, p.graph.outputs[1].node, target);
    CHECK((found == "its segments are too short for loops") == (length == 8));
  }
}
