#pragma once
// Kernels of a graph as they are before rows are put into blocks.

#include <utility>  // std::move
#include <vector>   // std::vector

#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/tile/row_group.hpp>

#include "programs.hpp"

namespace lowered_programs {

using programs::Program;

inline std::vector<sinter::detail::schedule::Lowered> lowered(
    Program& p, std::vector<sinter::detail::Value> outputs) {
  using namespace sinter::detail::schedule;
  p.graph.outputs = std::move(outputs);
  const Survey facts = survey(p.graph);
  const Clusters clusters = cluster(p.graph, facts);
  const Demand needs = demand(p.graph, facts, clusters);
  return lower_all({p.graph, facts, clusters, needs});
}

/// x of (rows, depth) by y of (depth, columns).
inline sinter::detail::Value product(Program& p, sinter::detail::Value x, sinter::detail::Value y) {
  return p.build.dot_general(x, y, {.lhs_contract = {1}, .rhs_contract = {0}});
}

}  // namespace lowered_programs
