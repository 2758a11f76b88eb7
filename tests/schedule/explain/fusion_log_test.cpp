#include <doctest/doctest.h>
#include <sinter/schedule/explain/fusion_log.hpp>
#include <sinter/schedule/fuse/fuse.hpp>
#include <sinter/schedule/lower/kernels.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const Graph& graph) {
  const FusionAnalysis facts = analyze_fusion(graph);
  const Target target;
  Refusals refusals;
  const FusionResult fusion = fuse(graph, facts, target, false, &refusals);
  return explain(fusion, lower_all(fusion), refusals);
}

Value matmul(Program& p, Value x, Value w) {
  return p.build.dot_general(x, w, {.lhs_contract = {1}, .rhs_contract = {1}});
}

}  // namespace

TEST_CASE(
    "fusion log: a line for each kernel, and one for each value that it loads, with the reason") {
  Program p;
  const Value x = p.input({8, 16}), w = p.input({4, 16});
  p.graph.outputs = {p.build.reduce(Op::sum, matmul(p, p.apply(Op::tanh, x), w), {1})};
  CHECK(lines_of(p.graph) ==
        Lines{"kernel 0, [8, 16]: tanh", "kernel 1, [8, 4] x [16]: dot_general",
              "  loads tanh, from kernel 0: a product reads each element of its operand many times",
              "kernel 2, [8] x [4]: sum",
              "  loads dot_general, from kernel 1: a product computes its result tile by tile"});
}

TEST_CASE("fusion log: a fused kernel has one line and no reason") {
  Program p;
  const Value x = p.input({8, 16});
  p.graph.outputs = {p.softmax(x)};
  CHECK(lines_of(p.graph) == Lines{"kernel 0, [8] x [16]: max; sub; exp; sum; div"});
}

TEST_CASE("fusion log: two products, and indices known only at run time") {
  Program p;
  const Value x = p.input({8, 16}), w = p.input({16, 16});
  const Value rows = p.input({3}, i64);
  p.graph.outputs = {p.build.gather(matmul(p, matmul(p, x, w), w), rows, 0)};
  const Lines lines = lines_of(p.graph);
  REQUIRE(lines.size() == 5);
  CHECK(lines[2] ==
        "  loads dot_general, from kernel 0: a product reads each element of its operand many "
        "times");
  CHECK(lines[4] ==
        "  loads dot_general, from kernel 1: it is gathered at indices known only at run time");
}

TEST_CASE("fusion log: reductions over different axes, and with too few rows for threads") {
  Program p;
  const Value x = p.input({2048, 2048});
  const Value normalized = p.softmax(x);
  p.graph.outputs = {p.build.reduce(Op::max, normalized, {0}), normalized};
  const Lines columns = lines_of(p.graph);
  REQUIRE(columns.size() >= 3);
  CHECK(columns[2] == "  loads div, from kernel 0: it is reduced over different axes");

  Program q;
  const Value y = q.input({4'000'000});
  const Value total = q.build.reduce(Op::max, y, {0});
  q.graph.outputs = {q.build.sub(y, q.broadcast(total, {4'000'000}))};
  const Lines few = lines_of(q.graph);
  REQUIRE(few.size() == 3);
  CHECK(few[2] == "  loads max, from kernel 0: there are too few rows to share among threads");
}

TEST_CASE("fusion log: values that are read at different elements than they are computed") {
  Program p;
  const Value x = p.input({64, 64});
  const Value e = p.softmax(x);
  p.graph.outputs = {e, p.build.add(e, p.build.permute(e, {1, 0}))};
  const Lines lines = lines_of(p.graph);
  REQUIRE(lines.size() == 3);
  CHECK(lines[2] ==
        "  loads div, from kernel 0: it is read at other elements than the one that is computed");
}

TEST_CASE("fusion log: of several readers in a kernel, the one that decides") {
  Program p;
  const Value x = p.input({8, 8}), w = p.input({8, 8});
  const Value e = p.softmax(x);
  p.graph.outputs = {p.build.add(e, matmul(p, e, w))};
  const Lines lines = lines_of(p.graph);
  REQUIRE(lines.size() == 3);
  CHECK(lines[2] ==
        "  loads div, from kernel 0: a product reads each element of its operand many times");
}

TEST_CASE("fusion log: a kernel that has to run between two others") {
  Program p;
  const Value x = p.input({8, 8}), w = p.input({8, 8});
  const Value e = p.softmax(x);
  const Value y = p.softmax(matmul(p, e, w));
  p.graph.outputs = {p.build.add(e, y)};
  const Lines lines = lines_of(p.graph);
  REQUIRE(lines.size() == 6);
  CHECK(lines[4].find("  loads d") == 0);
  CHECK((lines[4] + lines[5])
            .find("  loads div, from kernel 0: another kernel has to run between them") !=
        std::string::npos);
}
