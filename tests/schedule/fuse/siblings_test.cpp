#include <doctest/doctest.h>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/siblings.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

FusionGroups groups_of(Program& program, Vector<Value> outputs) {
  program.graph.outputs = std::move(outputs);
  return create_fusion_groups(program.graph, analyze_fusion(program.graph));
}

}  // namespace

TEST_CASE("sibling fusion: nodes that read the same elements share a group") {
  Program p;
  const Value x = p.input({8, 4});
  CHECK(groups_of(p, {p.apply(Op::sin, x), p.apply(Op::cos, x)}).groups.size() == 1);
  Program q;
  const Value y = q.input({8, 4});
  const Value rows = q.build.reduce(Op::sum, y, {1}), squares = q.build.reduce(Op::max, y, {1});
  CHECK(groups_of(q, {rows, squares}).groups.size() == 1);
}

TEST_CASE("sibling fusion: reductions over different axes are in different groups") {
  Program p;
  const Value x = p.input({8, 4});
  const Value rows = p.build.reduce(Op::sum, x, {1}), columns = p.build.reduce(Op::sum, x, {0});
  CHECK(groups_of(p, {rows, columns}).groups.size() == 2);
}
