#pragma once
// The fusion groups of a program.

#include <cstdint>
#include <utility>

#include <sinter/schedule/fuse/builder.hpp>

#include "../programs.hpp"

namespace grouped {

using namespace sinter::detail;
using schedule::FusionGroups;

inline FusionGroups groups_of(programs::Program& program, Vector<Value> outputs) {
  program.graph.outputs = std::move(outputs);
  return schedule::create_fusion_groups(program.graph, schedule::analyze_fusion(program.graph));
}

inline std::int32_t group_of(const FusionGroups& groups, Value value) {
  return groups.placements[value.node].group;
}

}  // namespace grouped
