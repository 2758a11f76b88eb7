#pragma once
// Lowers fusion groups to kernels.

#include <cstdint>  // std::int32_t
#include <string>   // std::string
#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/lower/concatenate.hpp>
#include <sinter/schedule/lower/lowered_kernel.hpp>
#include <sinter/schedule/lower/lowerer.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// The most operands of a concatenation that one kernel writes.
inline constexpr std::size_t most_stored_operands = 8;

inline LoweredKernel take_kernel(Lowerer& lowerer) {
  LoweredKernel result;
  result.kernel = lowerer.builder.build();
  for (std::size_t i = 0; i < result.kernel.arguments.size(); ++i) {
    if (result.kernel.arguments[i].access == Access::local) continue;
    result.nodes.push_back(lowerer.builder.nodes[i]);
  }
  return result;
}

// Lowers reductions first, by level, so that loops over the row come before later ones that reuse
// their values.
inline LoweredKernel lower_loops(const FusionResult& fusion, std::int32_t id) {
  const FusionGroup& group = fusion.groups.groups[id];
  Lowerer lowerer(fusion, id, grid_ranges(group), row_ranges(fusion.graph, group),
                  row_shape(fusion.graph, group));
  const auto by_level = [&](NodeId a, NodeId b) { return lowerer.level(a) < lowerer.level(b); };
  Vector<NodeId> members = fusion.live_out.computed[id];
  stable_sort(members, by_level);
  for (const NodeId member : members) {
    if (fusion.groups.partials.count(member) != 0) {
      lowerer.combine(member);
    } else if (is_heavy(fusion.graph[member].op)) {
      lowerer.member(member);
    }
  }
  Vector<NodeId> stored = fusion.live_out.stored[id];
  stable_sort(stored, by_level);
  for (const NodeId member : stored) {
    if (fusion.groups.partials.count(member) == 0) lowerer.store(member);
  }
  LoweredKernel result = take_kernel(lowerer);
  const bool divides =
      !same(group.chunks, one_chunk_per_point) && has(result.kernel, Code::combine);
  if (divides) result.chunks = group.chunks;
  return result;
}

inline LoweredKernel lower_sort(const FusionResult& fusion, std::int32_t id, NodeId of) {
  const FusionGroup& group = fusion.groups.groups[id];
  Lowerer lowerer(fusion, id, grid_ranges(group), row_ranges(fusion.graph, group),
                  row_shape(fusion.graph, group));
  lowerer.sort(of);
  return take_kernel(lowerer);
}

// The kernel that copies the operand of a scatter_add to its result.
inline LoweredKernel lower_scatter_copy(const FusionResult& fusion, std::int32_t id, NodeId of) {
  const Node& node = fusion.graph[of];
  const Index ranges = ranges_over(node.results[0].shape);
  Lowerer lowerer(fusion, id, ranges, {}, {});
  const ValueId copied = lowerer.value(node.inputs[0], ranges, {}, first_slot);
  lowerer.store(of, linear(ranges, node.results[0].shape), copied, first_slot);
  return take_kernel(lowerer);
}

// A kernel that writes operand `first` and later ones of the same shape, except those that are
// `placed`; marks them.
inline LoweredKernel lower_operands(const FusionResult& fusion, std::int32_t id, NodeId of,
                                    std::size_t first, Vector<bool>& placed) {
  const Graph& graph = fusion.graph;
  const Node& node = graph[of];
  const auto axis = static_cast<int>(number(node, "axis"));
  const Shape &shape = node.results[0].shape, &common = graph.type(node.inputs[first]).shape;
  const Index ranges = ranges_over(common);
  Lowerer lowerer(fusion, id, ranges, {}, {});
  Extent start = 0;
  std::size_t stored = 0;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Shape& from = graph.type(node.inputs[i]).shape;
    if (!placed[i] && same(from, common) && stored < most_stored_operands) {
      Index target = ranges;
      target[axis] += start;
      const ValueId value = lowerer.value(node.inputs[i], ranges, {}, first_slot);
      lowerer.store(of, linear(target, shape), value, first_slot);
      placed[i] = true;
      ++stored;
    }
    start += from[axis];
  }
  return take_kernel(lowerer);
}

// The kernels of a concatenation, without the operands that are `placed`, which other kernels
// write.
inline Vector<LoweredKernel> lower_concatenate(const FusionResult& fusion, std::int32_t id,
                                               NodeId of, Vector<bool> placed) {
  Vector<LoweredKernel> result;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (!placed[i]) result.push_back(lower_operands(fusion, id, of, i, placed));
  }
  return result;
}

// The kernel that adds the updates of a scatter_add: serial over the indices, so that equal indices
// add in order; parallel over the other axes.
inline LoweredKernel lower_scatter_add(const FusionResult& fusion, std::int32_t id, NodeId of) {
  const Node& node = fusion.graph[of];
  const auto axis = static_cast<int>(number(node, "axis"));
  const Shape& shape = node.results[0].shape;
  const Shape& added = fusion.graph.type(node.inputs[2]).shape;
  const Shape& indices = fusion.graph.type(node.inputs[1]).shape;
  const Index ranges = ranges_over(added);
  Index grid, rows, target;
  for (int i = 0; i < ranges.size(); ++i) {
    const bool over_indices = i >= axis && i < axis + indices.size();
    (over_indices ? rows : grid).push_back(ranges[i]);
  }
  Lowerer lowerer(fusion, id, grid, rows, indices);
  const Slot slot = loops_over(rows).empty() ? first_slot : first_slot + 1;
  const ValueId index = lowerer.value(node.inputs[1], rows, {}, slot);
  const Extent variable = lowerer.bind(of, index, shape[axis], rows, indices, {}, slot);
  for (int i = 0; i < shape.size(); ++i) {
    const int before = i < axis ? i : i - 1;
    target.push_back(i == axis ? variable : grid[before]);
  }
  const ValueId value = lowerer.value(node.inputs[2], ranges, {}, slot);
  lowerer.store(of, linear(target, shape), value, slot, true);
  return take_kernel(lowerer);
}

}  // namespace detail

/// The kernels of `group`, in order: one; two for a scatter_add, which adds into a copy; for a
/// concatenation, those of the operands that are not `placed` by other kernels.
inline Vector<LoweredKernel> lower(const FusionResult& fusion, std::int32_t group,
                                   Vector<bool> placed = {}) {
  const auto& stored = fusion.live_out.stored[group];
  if (stored.empty()) return {};
  const FusionGroup& known = fusion.groups.groups[group];
  const NodeId of = known.members[0];
  Vector<LoweredKernel> result;
  if (known.kind == GroupKind::concatenate) {
    placed.resize(fusion.graph[of].inputs.size());
    result = detail::lower_concatenate(fusion, group, of, std::move(placed));
  } else if (known.kind == GroupKind::sort) {
    result.push_back(detail::lower_sort(fusion, group, of));
  } else if (known.kind != GroupKind::scatter) {
    result.push_back(detail::lower_loops(fusion, group));
  } else {
    result.push_back(detail::lower_scatter_copy(fusion, group, of));
    result.push_back(detail::lower_scatter_add(fusion, group, of));
  }
  for (LoweredKernel& lowered : result) {
    lowered.recorded = of;
    lowered.groups = {group};
    lowered.is_product = known.kind == GroupKind::product;
  }
  return result;
}

namespace detail {

inline void mark_rematerialized(Span<const Rematerialized> kinds, Vector<LoweredKernel>& kernels) {
  for (LoweredKernel& one : kernels) {
    for_each_buffer(one, [&](NodeId node, std::size_t i) {
      const bool writes = one.kernel.arguments[i].access != Access::read;
      if (writes && kinds[node] != Rematerialized::no) one.rematerialized = kinds[node];
    });
  }
}

}  // namespace detail

/// The stage of a plan after fusion: the kernels of all fusion groups, in their order. `kinds`, as
/// in RewrittenGraph, says which of them rematerialize values.
inline Vector<LoweredKernel> lower_all(const FusionResult& fusion,
                                       Span<const Rematerialized> kinds = {}) {
  Vector<LoweredKernel> result;
  ConcatPlacer placer(fusion.graph, result);
  for (std::size_t i = 0; i < fusion.groups.groups.size(); ++i) {
    const FusionGroup& group = fusion.groups.groups[i];
    const bool places = group.kind == GroupKind::concatenate && !fusion.live_out.stored[i].empty();
    Vector<bool> placed;
    if (places) placed = placer.place(group.members[0]);
    for (LoweredKernel& lowered : lower(fusion, static_cast<std::int32_t>(i), std::move(placed))) {
      result.push_back(std::move(lowered));
    }
  }
  placer.drop_dead_stores();
  if (!kinds.empty()) detail::mark_rematerialized(kinds, result);
  return result;
}

/// "kernel 2, of groups 4 5, a product: %1 %4 %7", with the node of each argument, and the kernel.
inline std::string to_string(const Vector<LoweredKernel>& kernels) {
  std::string result;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const LoweredKernel& one = kernels[i];
    result += text("kernel ", i, ", of groups");
    for (const std::int32_t group : one.groups) result += text(" ", group);
    if (one.is_product) result += ", a product";
    if (one.rematerialized != Rematerialized::no) result += ", rematerialized";
    result += ":";
    for (const NodeId node : one.nodes) result += text(" %", node);
    result += text("\n", one.kernel, "\n");
  }
  return result;
}

/// Throws InternalError unless each argument of each kernel has a node of its dtype. The kernels
/// are verified as those of a plan, since their symbols and chunks are not known before.
inline void verify(const Vector<LoweredKernel>& kernels, const Graph& graph) {
  for (const LoweredKernel& one : kernels) {
    const auto& arguments = one.kernel.arguments;
    const auto count = count_if(
        arguments, [](const Argument& argument) { return argument.access != Access::local; });
    if (count != static_cast<std::ptrdiff_t>(one.nodes.size()))
      throw InternalError("a kernel whose arguments have no nodes");
    for_each_buffer(one, [&](NodeId node, std::size_t i) {
      if (graph.type(node).dtype != arguments[i].dtype)
        throw InternalError(text("argument ", i, " of a kernel has another dtype than %", node));
    });
  }
}

/// A kernel that copies `from`, of `type`, to the memory of `to`.
inline LoweredKernel lower_copy(NodeId from, NodeId to, const TensorType& type) {
  const Extent elements = numel(type.shape);
  const Index ranges = ranges_over({elements});
  KernelBuilder builder(ranges, {});
  Instruction load{.code = Code::load, .op = Op::input, .dtype = type.dtype};
  load.argument = builder.argument(from, type.dtype, elements, Access::read);
  load.index = ranges[0];
  load.constant = constant(0, type.dtype);
  Instruction store{.code = Code::store, .dtype = type.dtype};
  store.argument = builder.argument(to, type.dtype, elements, Access::write);
  store.index = ranges[0];
  store.operands = {builder.append(first_slot, std::move(load))};
  builder.append(first_slot, std::move(store));
  LoweredKernel result{.kernel = builder.build()};
  result.nodes = std::move(builder.nodes);
  result.recorded = from;
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
