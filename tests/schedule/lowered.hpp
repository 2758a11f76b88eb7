#pragma once
// The kernels of a graph before row tiling.

#include <utility>  // std::move
#include <vector>   // std::vector

#include <sinter/schedule/fuse/fuse.hpp>
#include <sinter/schedule/lower/kernels.hpp>
#include <sinter/schedule/tile/node_accesses.hpp>

#include "programs.hpp"

namespace lowered_programs {

using programs::Program;

inline sinter::detail::Vector<sinter::detail::schedule::LoweredKernel> lowered(
    Program& p, sinter::detail::Vector<sinter::detail::Value> outputs) {
  using namespace sinter::detail::schedule;
  p.graph.outputs = std::move(outputs);
  const FusionAnalysis facts = analyze_fusion(p.graph);
  const Target target;
  return lower_all(fuse(p.graph, facts, target));
}

/// x of (rows, depth) by y of (depth, columns).
inline sinter::detail::Value product(Program& p, sinter::detail::Value x, sinter::detail::Value y) {
  return p.build.dot_general(x, y, {.lhs_contract = {1}, .rhs_contract = {0}});
}

}  // namespace lowered_programs
