#pragma once

#include <algorithm>      // std::any_of, std::find
#include <set>            // std::set
#include <unordered_map>  // std::unordered_map
#include <utility>        // std::move, std::pair

#include <sinter/base/error.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/schedule/tile/canonicalize.hpp>
#include <sinter/schedule/tile/fuse_rows.hpp>
#include <sinter/schedule/tile/grouping.hpp>
#include <sinter/schedule/tile/merge_order.hpp>
#include <sinter/schedule/tile/row_group.hpp>
#include <sinter/schedule/tile/streaming.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Puts the kernels of a group together.
struct Joiner {
  const Traces& traces;
  const std::vector<Lowered>& kernels;
  const Group& group;
  Lowered result{};
  std::unordered_map<NodeId, std::int32_t> arguments{};
  std::vector<NodeId> nodes{};  // of each argument
  std::uint32_t next_range = 0;

  // What changes from a piece to the kernel.
  struct Moved {
    std::unordered_map<std::uint64_t, Extent> variables{};
    std::vector<std::int32_t> arguments{};
    std::vector<ValueId> values{};
  };

  Extent range(Moved& moved, Extent variable) {
    const auto known = moved.variables.find(variable.bits());
    if (known != moved.variables.end()) return known->second;
    const Extent fresh = Extent::range(next_range++, variable.range_extent());
    return moved.variables.emplace(variable.bits(), fresh).first->second;
  }

  Extent in_kernel(Moved& moved, Extent extent) {
    if (extent.is_number()) return extent;
    return substitute(extent, [&](Extent variable) {
      return variable.is_range() ? range(moved, variable) : variable;
    });
  }

  std::vector<Loop> in_kernel(Moved& moved, const std::vector<Loop>& loops) {
    std::vector<Loop> found;
    for (const Loop& loop : loops) found.push_back({range(moved, loop.variable), loop.extent});
    return found;
  }

  std::int32_t argument_of(const Argument& argument, NodeId node, bool local) {
    auto& all = result.kernel.arguments;
    const auto next = static_cast<std::int32_t>(all.size());
    if (!local) {
      const auto [entry, is_new] = arguments.emplace(node, next);
      if (!is_new) {
        Access& known = all[static_cast<std::size_t>(entry->second)].access;
        if (known != argument.access) known = Access::read_write;
        return entry->second;
      }
    }
    all.push_back(argument);
    nodes.push_back(local ? NodeId(-1) : node);
    return next;
  }

  void add_arguments(Moved& moved, const Lowered& piece) {
    std::size_t next = 0;
    for (const Argument& argument : piece.kernel.arguments) {
      const bool local = argument.access == Access::local;
      const NodeId node = local ? NodeId(-1) : piece.nodes[next++];
      moved.arguments.push_back(argument_of(argument, node, local));
    }
  }

  ValueId append(Moved& moved, const Lowered& piece, ValueId id, Stage& stage) {
    Instruction one = piece.kernel.instructions[static_cast<std::size_t>(id)];
    for (ValueId& operand : one.operands) {
      operand = moved.values[static_cast<std::size_t>(operand)];
    }
    if (one.argument >= 0) {
      one.argument = moved.arguments[static_cast<std::size_t>(one.argument)];
    }
    for_each_extent(one, [&](Extent& extent) { extent = in_kernel(moved, extent); });
    const auto next = static_cast<ValueId>(result.kernel.instructions.size());
    result.kernel.instructions.push_back(std::move(one));
    stage.body.push_back(next);
    moved.values[static_cast<std::size_t>(id)] = next;
    return next;
  }

  // What the rest of the body of a product uses of what came before its sum is computed again
  // there.
  void append_again(Moved& moved, const Lowered& piece, ValueId id, Stage& stage,
                    std::size_t inside) {
    const Instruction& one = piece.kernel.instructions[static_cast<std::size_t>(id)];
    for (const ValueId operand : one.operands) {
      const auto& from = piece.kernel.instructions[static_cast<std::size_t>(operand)];
      const bool before =
          moved.values[static_cast<std::size_t>(operand)] < static_cast<ValueId>(inside);
      if (before && from.code != Code::reduce) {
        append_again(moved, piece, operand, stage, inside);
      }
    }
    append(moved, piece, id, stage);
  }

  std::vector<Loop> columns(const Piece& piece) const {
    std::vector<Loop> found;
    for (const Loop& loop : kernels[piece.kernel].kernel.grid) {
      const bool row = std::any_of(piece.rows.begin(), piece.rows.end(),
                                   [&](Extent one) { return same(one, loop.variable); });
      if (!row) found.push_back(loop);
    }
    return found;
  }

  void add_stages(Moved& moved, const Lowered& piece) {
    for (const Stage& from : piece.kernel.stages) {
      Stage stage{in_kernel(moved, from.loops)};
      for (const ValueId id : from.body) append(moved, piece, id, stage);
      result.kernel.stages.push_back(std::move(stage));
    }
  }

  // One stage of what runs for each column.
  void add_columns(Moved& moved, const Lowered& piece, const std::vector<Loop>& columns) {
    Stage stage{in_kernel(moved, columns)};
    std::size_t inside = 0;
    for (const Stage& from : piece.kernel.stages) {
      if (!from.loops.empty()) stage.contracted = in_kernel(moved, from.loops);
      for (const ValueId id : from.body) {
        if (inside == 0) {
          append(moved, piece, id, stage);
        } else {
          append_again(moved, piece, id, stage, inside);
        }
      }
      if (!from.loops.empty()) inside = result.kernel.instructions.size();
    }
    result.kernel.stages.push_back(std::move(stage));
  }

  void add(const Piece& piece) {
    const Lowered& lowered = kernels[piece.kernel];
    result.clusters.insert(result.clusters.end(), lowered.clusters.begin(), lowered.clusters.end());
    Moved moved;
    moved.values.resize(lowered.kernel.instructions.size());
    for (int row = 0; row < piece.rows.size(); ++row) {
      moved.variables.emplace(piece.rows[row].bits(),
                              result.kernel.grid[static_cast<std::size_t>(row)].variable);
    }
    add_arguments(moved, lowered);
    const std::vector<Loop> inner = columns(piece);
    const bool contracts = lowered.is_product && loop_stage(lowered.kernel) != nullptr;
    contracts || !inner.empty() ? add_columns(moved, lowered, inner) : add_stages(moved, lowered);
  }

  // Whether nobody outside of the group reads `node`.
  bool is_local(const Piece& piece, NodeId node) const {
    if (traces.writer(node) != static_cast<std::int32_t>(piece.kernel)) return false;
    if (traces.is_output(node) || traces.readers(node).empty()) return false;
    for (const std::size_t reader : traces.readers(node)) {
      const bool inside = std::any_of(group.pieces.begin(), group.pieces.end(),
                                      [&](const Piece& other) { return other.kernel == reader; });
      if (!inside) return false;
    }
    return true;
  }

  // Rows of `node` in scratch memory: its index without the axes of the rows.
  void make_local(NodeId node, const std::vector<int>& axes) {
    const std::int32_t position = arguments.at(node);
    const Shape& shape = traces.shape(node);
    const auto rest = [&](const Index& index) {
      Index found;
      for (int axis = 0; axis < index.size(); ++axis) {
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) found.push_back(index[axis]);
      }
      return found;
    };
    const Shape row = rest(shape);
    for (Instruction& one : result.kernel.instructions) {
      if (one.argument != position) continue;
      one.index = linear(rest(reshaped({one.index}, {numel(shape)}, shape)), row);
    }
    Argument& argument = result.kernel.arguments[static_cast<std::size_t>(position)];
    argument.access = Access::local;
    argument.elements = numel(row);
  }

  Lowered run() {
    for (const Extent row : group.pieces[0].rows) {
      const Extent variable = Extent::range(next_range++, row.range_extent());
      result.kernel.grid.push_back({variable, row.range_extent()});
    }
    for (const Piece& piece : group.pieces) add(piece);
    for (const Piece& piece : group.pieces) {
      for (const NodeId node : kernels[piece.kernel].nodes) {
        if (is_local(piece, node)) make_local(node, traces.row_axes(piece, node));
      }
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const bool local = result.kernel.arguments[i].access == Access::local;
      if (!local) result.nodes.push_back(nodes[i]);
    }
    result.recorded = kernels[group.pieces[0].kernel].recorded;
    return std::move(result);
  }
};

// Kernels and groups in an order in which each comes after what it reads.
struct Sorter {
  std::vector<Lowered> units;
  std::vector<std::size_t> positions;  // where each stood first
  std::vector<std::vector<std::size_t>> followers{};
  std::vector<std::size_t> needs{};

  void add_edge(std::size_t from, std::size_t to) {
    if (from == to) return;
    followers[from].push_back(to);
    ++needs[to];
  }

  std::vector<Lowered> run() {
    std::set<std::pair<std::size_t, std::size_t>> ready;
    std::vector<Lowered> result;
    for (std::size_t u = 0; u < units.size(); ++u) {
      if (needs[u] == 0) ready.insert({positions[u], u});
    }
    while (!ready.empty()) {
      const std::size_t u = ready.begin()->second;
      ready.erase(ready.begin());
      result.push_back(std::move(units[u]));
      for (const std::size_t next : followers[u]) {
        if (--needs[next] == 0) ready.insert({positions[next], next});
      }
    }
    return result;
  }
};

// A group as one kernel.
using Join = FunctionRef<Lowered(const Group&)>;

// Which unit each kernel is, and the units: kernels as they are, and groups.
SINTER_INLINE Sorter units_of(const std::vector<Lowered>& kernels, const std::vector<Group>& groups,
                              const Join& join, std::vector<std::size_t>& unit_of) {
  Sorter sorter;
  unit_of.assign(kernels.size(), kernels.size());
  for (const Group& group : groups) {
    for (const Piece& piece : group.pieces) unit_of[piece.kernel] = sorter.units.size();
    sorter.positions.push_back(group.pieces[0].kernel);
    sorter.units.push_back(join(group));
  }
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (unit_of[k] < kernels.size()) continue;
    unit_of[k] = sorter.units.size();
    sorter.positions.push_back(k);
    sorter.units.push_back(kernels[k]);
  }
  sorter.followers.resize(sorter.units.size());
  sorter.needs.resize(sorter.units.size());
  return sorter;
}

// `kernels` in an order, with those of each of `groups` as one.
SINTER_INLINE std::vector<Lowered> put_together(const std::vector<Lowered>& kernels,
                                                const std::vector<Group>& groups,
                                                const Join& join) {
  if (groups.empty()) return kernels;
  std::vector<std::size_t> unit_of;
  Sorter sorter = units_of(kernels, groups, join, unit_of);
  const auto followers = followers_of(kernels);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    for (const std::size_t next : followers[k]) sorter.add_edge(unit_of[k], unit_of[next]);
  }
  std::vector<Lowered> sorted = sorter.run();
  if (sorted.size() != sorter.units.size()) throw InternalError("blocks that need each other");
  return sorted;
}

}  // namespace detail

SINTER_INLINE std::vector<Lowered> in_blocks(const Graph& graph, std::vector<Lowered> kernels,
                                             const std::vector<Lowered>& parts) {
  const Traces traces(graph, kernels);
  const std::vector<Lowered>& pieces = parts.empty() ? kernels : parts;
  const auto join = [&](const Group& group) { return detail::Joiner{traces, pieces, group}.run(); };
  return detail::put_together(kernels, group_rows(graph, kernels), join);
}

SINTER_INLINE std::vector<Lowered> in_streams(const Graph& graph, std::vector<Lowered> kernels,
                                              const std::vector<Lowered>& parts) {
  const Traces traces(graph, kernels);
  const std::vector<Lowered>& pieces = parts.empty() ? kernels : parts;
  const auto join = [&](const Group& group) {
    Lowered result = detail::Joiner{traces, pieces, group}.run();
    merge_steps(result.kernel);
    keep_stored_numbers(result.kernel);
    return result;
  };
  const auto accepts = [&](const Group& group) {
    return static_cast<bool>(stream_form(join(group).kernel));
  };
  const StreamsGroup streams(accepts);
  return detail::put_together(kernels, group_rows(graph, kernels, &streams), join);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
