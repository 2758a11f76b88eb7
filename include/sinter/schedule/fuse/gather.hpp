#pragma once
// Fusion of a gather with the rows it reads: the kernel that computes the rows rematerializes the
// gathered element.

#include <cstdint>  // std::int32_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/positions.hpp>
#include <sinter/schedule/fuse/axes.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// Finds which elements a group can read or rematerialize.
struct ElementReader {
  const GroupState& builder;
  std::int32_t group = 0;
  int budget = 0;  ///< The operations that may be rematerialized.

  /// Whether the group can read `value` at `index`: from memory, computed for this element, or
  /// elementwise from such values.
  bool reads(Value value, const Index& index) {
    const Graph& graph = builder.graph;
    const NodeId operand = beneath(graph, value);
    if (builder.after(operand) < group) return true;
    if (builder.reads(value, index, group)) return true;
    const Position found = element(graph, value, index);
    const Node& node = graph[operand];
    const bool fusible =
        builder.group_of(operand) == group || builder.analysis.nodes[operand].inlined;
    if (!fusible || found.node != operand || !is_elementwise(node.op) || --budget < 0) return false;
    for (const Value input : node.inputs) {
      const bool scalar = graph.type(input).shape.empty();
      if (!reads(input, scalar ? Index() : found.index)) return false;
    }
    return true;
  }
};

/// Whether `group` can compute element `index` of `gather`.
inline bool can_fuse_gather(const GroupState& builder, const Node& gather, const Index& index,
                            std::int32_t group) {
  const Graph& graph = builder.graph;
  const Value indices = gather.inputs[1];
  const Index asked = indices_index(graph, gather, index);
  if (!builder.reads(indices, asked, group)) return false;
  if (builder.after(beneath(graph, gather.inputs[0])) < group) return true;
  if (!is_position(graph, indices)) return false;
  std::uint32_t next = first_gather_range;
  const auto taken = [&](NodeId id, const Index&) {
    const Node& inner = graph[id];
    const auto axis = static_cast<int>(number(inner, "axis"));
    return Extent::range(next++, graph.type(inner.inputs[0]).shape[axis]);
  };
  const Extent at = position_of(graph, indices, asked, taken);
  // With one gathered element per step of the row, only elements that the step computes anyway are
  // read.
  const FusionGroup& known = builder.result.groups[group];
  const bool rematerializes =
      known.kind == GroupKind::rows && (Coverage(known, index, 0).kept & known.reduced) == 0;
  ElementReader reader{builder, group,
                       rematerializes ? builder.target.inlining.most_for_gather : 0};
  return reader.reads(gather.inputs[0], gathered_index(graph, gather, index, at));
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
