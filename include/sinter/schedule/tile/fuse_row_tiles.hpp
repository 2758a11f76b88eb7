#pragma once
// Row-tile fusion: products and the kernels that work on their rows become stages of one kernel,
// which runs for one tile of rows after another, so that intermediates stay in the caches of a
// thread. Kernels without products that work on the same rows become stages of one nest of loops.

#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/container/worklist.hpp>
#include <sinter/base/error.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/fuse.hpp>
#include <sinter/schedule/ir/refusals.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/schedule/lower/dependences.hpp>
#include <sinter/schedule/lower/kernels.hpp>
#include <sinter/schedule/tile/canonicalize.hpp>
#include <sinter/schedule/tile/node_accesses.hpp>
#include <sinter/schedule/tile/streaming_form.hpp>
#include <sinter/schedule/tile/tiled_groups.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Builds one kernel from the members of a group.
struct RowTileFuser {
  const NodeAccesses& accesses;
  const Vector<LoweredKernel>& kernels;
  const TiledGroup& group;
  LoweredKernel result{};
  HashMap<NodeId, std::int32_t> arguments{};
  Vector<NodeId> nodes{};  // for each argument
  std::uint32_t next_range = 0;

  // Maps variables, arguments and values of a member to those of the fused kernel.
  struct Mapping {
    HashMap<std::uint64_t, Extent> variables{};
    Vector<std::int32_t> arguments{};
    Vector<ValueId> values{};
  };

  Extent range(Mapping& mapping, Extent variable) {
    const auto known = mapping.variables.find(variable.bits());
    if (known != mapping.variables.end()) return known->second;
    const Extent fresh = Extent::range(next_range++, variable.range_extent());
    return mapping.variables.emplace(variable.bits(), fresh).first->second;
  }

  Extent mapped(Mapping& mapping, Extent extent) {
    if (extent.is_number()) return extent;
    return substitute(extent, [&](Extent variable) {
      return variable.is_range() ? range(mapping, variable) : variable;
    });
  }

  Vector<Loop> mapped(Mapping& mapping, const Vector<Loop>& loops) {
    Vector<Loop> found;
    for (const Loop& loop : loops) found.push_back({range(mapping, loop.variable), loop.extent});
    return found;
  }

  std::int32_t argument_of(const Argument& argument, NodeId node, bool local) {
    auto& all = result.kernel.arguments;
    const auto next = static_cast<std::int32_t>(all.size());
    if (!local) {
      const auto [entry, is_new] = arguments.emplace(node, next);
      if (!is_new) {
        Access& known = all[entry->second].access;
        if (known != argument.access) known = Access::read_write;
        return entry->second;
      }
    }
    all.push_back(argument);
    nodes.push_back(local ? NodeId(-1) : node);
    return next;
  }

  void add_arguments(Mapping& mapping, const LoweredKernel& member) {
    std::size_t next = 0;
    for (const Argument& argument : member.kernel.arguments) {
      const bool local = argument.access == Access::local;
      const NodeId node = local ? NodeId(-1) : member.nodes[next++];
      mapping.arguments.push_back(argument_of(argument, node, local));
    }
  }

  ValueId append(Mapping& mapping, const LoweredKernel& member, ValueId id, Stage& stage) {
    Instruction one = member.kernel.instructions[id];
    for (ValueId& operand : one.operands) {
      operand = mapping.values[operand];
    }
    if (one.argument >= 0) {
      one.argument = mapping.arguments[one.argument];
    }
    for_each_extent(one, [&](Extent& extent) { extent = mapped(mapping, extent); });
    const auto next = static_cast<ValueId>(result.kernel.instructions.size());
    result.kernel.instructions.push_back(std::move(one));
    stage.body.push_back(next);
    mapping.values[id] = next;
    return next;
  }

  // Appends `id` to the part of a product that runs after its sum. Values from before the sum that
  // it uses are rematerialized there.
  void append_rematerialized(Mapping& mapping, const LoweredKernel& member, ValueId id,
                             Stage& stage, std::size_t inside) {
    const Instruction& one = member.kernel.instructions[id];
    for (const ValueId operand : one.operands) {
      const auto& from = member.kernel.instructions[operand];
      const bool before = mapping.values[operand] < static_cast<ValueId>(inside);
      if (before && from.code != Code::reduce) {
        append_rematerialized(mapping, member, operand, stage, inside);
      }
    }
    append(mapping, member, id, stage);
  }

  void add_stages(Mapping& mapping, const LoweredKernel& member) {
    for (const Stage& from : member.kernel.stages) {
      Stage stage{mapped(mapping, from.loops)};
      for (const ValueId id : from.body) append(mapping, member, id, stage);
      result.kernel.stages.push_back(std::move(stage));
    }
  }

  // One stage for the body that runs for each column.
  void add_columns(Mapping& mapping, const LoweredKernel& member, const Vector<Loop>& columns) {
    Stage stage{mapped(mapping, columns)};
    std::size_t inside = 0;
    for (const Stage& from : member.kernel.stages) {
      if (!from.loops.empty()) stage.contracted = mapped(mapping, from.loops);
      for (const ValueId id : from.body) {
        if (inside == 0) {
          append(mapping, member, id, stage);
        } else {
          append_rematerialized(mapping, member, id, stage, inside);
        }
      }
      if (!from.loops.empty()) inside = result.kernel.instructions.size();
    }
    result.kernel.stages.push_back(std::move(stage));
  }

  void add(const GroupMember& member) {
    const LoweredKernel& lowered = kernels[member.kernel];
    result.groups.insert(result.groups.end(), lowered.groups.begin(), lowered.groups.end());
    Mapping mapping;
    mapping.values.resize(lowered.kernel.instructions.size());
    for (int row = 0; row < member.rows.size(); ++row) {
      mapping.variables.emplace(member.rows[row].bits(), result.kernel.grid[row].variable);
    }
    add_arguments(mapping, lowered);
    const Vector<Loop> inner = columns_of(lowered.kernel, member);
    const bool contracts = lowered.is_product && loop_stage(lowered.kernel) != nullptr;
    contracts || !inner.empty() ? add_columns(mapping, lowered, inner)
                                : add_stages(mapping, lowered);
  }

  // Whether no kernel outside of the group reads `node`.
  bool is_local(const GroupMember& member, NodeId node) const {
    if (accesses.writer(node) != static_cast<std::int32_t>(member.kernel)) return false;
    if (accesses.is_output(node) || accesses.readers(node).empty()) return false;
    for (const std::size_t reader : accesses.readers(node)) {
      const bool inside =
          any_of(group.members, [&](const GroupMember& other) { return other.kernel == reader; });
      if (!inside) return false;
    }
    return true;
  }

  // Keeps one row of `node` in scratch memory: drops the row axes from its index.
  void make_local(NodeId node, const AxisNumbers& axes) {
    const std::int32_t position = arguments.at(node);
    const Shape& shape = accesses.shape(node);
    const auto rest = [&](const Index& index) {
      Index found;
      for (int axis = 0; axis < index.size(); ++axis) {
        if (!contains(axes, axis)) found.push_back(index[axis]);
      }
      return found;
    };
    const Shape row = rest(shape);
    for (Instruction& one : result.kernel.instructions) {
      if (one.argument != position) continue;
      one.index = linear(rest(reshaped({one.index}, {numel(shape)}, shape)), row);
    }
    Argument& argument = result.kernel.arguments[position];
    argument.access = Access::local;
    argument.elements = numel(row);
  }

  LoweredKernel run() {
    for (const Extent row : group.members[0].rows) {
      const Extent variable = Extent::range(next_range++, row.range_extent());
      result.kernel.grid.push_back({variable, row.range_extent()});
    }
    for (const GroupMember& member : group.members) add(member);
    for (const GroupMember& member : group.members) {
      for (const NodeId node : kernels[member.kernel].nodes) {
        if (is_local(member, node)) make_local(node, accesses.row_axes(member, node));
      }
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const bool local = result.kernel.arguments[i].access == Access::local;
      if (!local) result.nodes.push_back(nodes[i]);
    }
    result.recorded = kernels[group.members[0].kernel].recorded;
    return std::move(result);
  }
};

// Fuses a group into one kernel.
using FuseGroup = FunctionRef<LoweredKernel(const TiledGroup&)>;

// `kernels` with each of `groups` fused, in a valid order.
inline Vector<LoweredKernel> replace_groups(const Vector<LoweredKernel>& kernels,
                                            const Vector<TiledGroup>& groups,
                                            const FuseGroup& fuse) {
  if (groups.empty()) return kernels;
  Vector<LoweredKernel> units, sorted;
  Vector<std::size_t> positions, unit_of(kernels.size(), kernels.size());
  for (const TiledGroup& group : groups) {
    for (const GroupMember& member : group.members) unit_of[member.kernel] = units.size();
    positions.push_back(group.members[0].kernel);
    units.push_back(fuse(group));
  }
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (unit_of[k] < kernels.size()) continue;
    unit_of[k] = units.size();
    positions.push_back(k);
    units.push_back(kernels[k]);
  }
  Vector<Vector<std::size_t>> successors(units.size());
  const Dependences known = dependences(kernels);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    for (const std::size_t next : known.after[k]) {
      if (unit_of[k] != unit_of[next]) successors[unit_of[k]].push_back(unit_of[next]);
    }
  }
  for (const std::size_t unit : topological_order(successors, positions))
    sorted.push_back(std::move(units[unit]));
  if (sorted.size() != units.size())
    throw InternalError("row tile groups that depend on each other");
  return sorted;
}

// fuse_row_tiles(), or, with `streams`, fuse_streaming_kernels().
inline Vector<LoweredKernel> fuse_tiled_groups(const Graph& graph,
                                               const Vector<LoweredKernel>& kernels,
                                               const Vector<LoweredKernel>& fused_forms,
                                               const Target& target, Refusals* refusals,
                                               bool streams) {
  const NodeAccesses accesses(graph, kernels);
  const Vector<LoweredKernel>& members = fused_forms.empty() ? kernels : fused_forms;
  const auto fuse = [&](const TiledGroup& group) {
    LoweredKernel result = RowTileFuser{accesses, members, group}.run();
    if (streams) merge_row_loops(result.kernel), forward_stores(result.kernel);
    return result;
  };
  const auto has_form = [&](const TiledGroup& group) {
    return static_cast<bool>(streaming_form(fuse(group).kernel, target.streaming));
  };
  const AcceptsStreaming accepts(has_form);
  return replace_groups(
      kernels, create_tiled_groups(graph, kernels, target, streams ? &accepts : nullptr, refusals),
      fuse);
}

}  // namespace detail

/// Fuses `kernels` that pass rows to each other: each row of an intermediate is read only by the
/// same row of the grid. With a product, the fused kernel runs stage by stage for tiles of rows:
/// see is_row_tiled(). Intermediate rows that no other kernel reads are local. A product is fused
/// if all rows of a tile share one of its factors, or if no product of the group has such a factor;
/// each row is a tile of its own then. `fused_forms` are the kernels in the form that they take in
/// a group, if it differs from the form that they have alone.
inline Vector<LoweredKernel> fuse_row_tiles(const Graph& graph, Vector<LoweredKernel> kernels,
                                            const Vector<LoweredKernel>& fused_forms = {},
                                            const Target& target = {},
                                            Refusals* refusals = nullptr) {
  return detail::fuse_tiled_groups(graph, kernels, fused_forms, target, refusals, false);
}

/// The same for a GPU. It fuses pairs of products around a reduction, with the kernels between
/// them, where the intermediate rows are longer than the rows they are computed from and the result
/// has a streaming_form().
inline Vector<LoweredKernel> fuse_streaming_kernels(const Graph& graph,
                                                    Vector<LoweredKernel> kernels,
                                                    const Vector<LoweredKernel>& fused_forms = {},
                                                    const Target& target = {},
                                                    Refusals* refusals = nullptr) {
  return detail::fuse_tiled_groups(graph, kernels, fused_forms, target, refusals, true);
}

/// The stage of a plan: the kernels of `fusion` with those of them fused that
/// Target::fuse_streaming or, without it, fuse_row_tiles() fuses. Row tiles keep rows of any length
/// in scratch memory. `refusals`, if not null, gets the reasons of what is not fused.
inline Vector<LoweredKernel> tile(const FusionResult& fusion, Vector<LoweredKernel> kernels,
                                  Refusals* refusals = nullptr) {
  const RowTileFusion streaming = fusion.target.fuse_streaming;
  const RowTileFusion fuse = streaming == nullptr ? fuse_row_tiles : streaming;
  const bool is_sized = none_of(fusion.graph.nodes, [](const Node& node) {
    return any_of(node.results,
                  [](const TensorType& type) { return !numel(type.shape).is_number(); });
  });
  if (is_sized) return fuse(fusion.graph, std::move(kernels), {}, fusion.target, refusals);
  FusionResult long_rows = fusion;
  long_rows.keeps_any_rows = true;
  return fuse(fusion.graph, std::move(kernels), lower_all(long_rows), fusion.target, refusals);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
