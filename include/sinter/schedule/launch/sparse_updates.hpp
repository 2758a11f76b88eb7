#pragma once
// Finds sparse in-place updates: state of which only the elements that change are written.

#include <cstddef>  // std::size_t
#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/launch/order.hpp>
#include <sinter/schedule/launch/restrict_to_changes.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A sparse update: `output` keeps the elements of `input` that do not change. Kernel `at` of a
/// list is replaced by `changed`, after `checks`, which runs its checks and writes nothing; `copy`,
/// the copy of the input, is dropped.
struct SparseUpdate {
  NodeUpdate update{};
  std::size_t at = 0;
  LoweredKernel changed{};
  Optional<LoweredKernel> checks{};
  Optional<std::size_t> copy{};
};

namespace detail {

using Writers = HashMap<NodeId, Vector<std::size_t>>;

inline Writers writers_of(Span<const LoweredKernel> kernels) {
  Writers result;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    for_each_buffer(kernels[k], [&](NodeId node, std::size_t i) {
      if (kernels[k].kernel.arguments[i].access != Access::read) result[node].push_back(k);
    });
  }
  return result;
}

// Whether `lowered` copies argument `from` to argument `to`.
inline bool is_copy(const LoweredKernel& lowered, std::int32_t from, std::int32_t to) {
  const auto& list = lowered.kernel.instructions;
  return from >= 0 && list.size() == 2 && list[0].code == Code::load &&
         list[1].code == Code::store && list[0].argument == from && list[1].argument == to &&
         list[0].guards.empty() && list[1].guards.empty() && !list[1].accumulate &&
         list[0].dtype == list[1].dtype && same(list[0].index, list[1].index);
}

// The only store of `lowered`, if it stores to argument `to` unconditionally; else -1. Also -1 for
// products, row tiles, sorts, partial reductions and kernels with scratch memory.
inline ValueId store_of(const LoweredKernel& lowered, std::int32_t to) {
  const Kernel& kernel = lowered.kernel;
  if (has_local(kernel) || lowered.is_product || is_row_tiled(kernel)) return -1;
  ValueId result = -1;
  for (std::size_t id = 0; id < kernel.instructions.size(); ++id) {
    const Instruction& one = kernel.instructions[id];
    if (one.code == Code::sort || one.code == Code::combine) return -1;
    if (one.code != Code::store) continue;
    if (result >= 0 || one.argument != to || !one.guards.empty()) return -1;
    result = static_cast<ValueId>(id);
  }
  return result;
}

inline Optional<SparseUpdate> sparse_update_of(Span<const LoweredKernel> kernels,
                                               const Vector<std::size_t>& writers,
                                               const NodeUpdate& update) {
  SparseUpdate result{.update = update};
  std::size_t others = 0;
  for (const std::size_t k : writers) {
    const bool copies = is_copy(kernels[k], argument_of(kernels[k], update.input),
                                argument_of(kernels[k], update.output));
    if (copies) {
      result.copy = k;
    } else {
      result.at = k;
      ++others;
    }
  }
  const LoweredKernel& writer = kernels[result.at];
  if (others != 1 || writers.size() > 2) return {};
  const ValueId store = store_of(writer, argument_of(writer, update.output));
  if (store < 0) return {};
  const Kernel& kernel = writer.kernel;
  const Instruction& stored = kernel.instructions[store];
  const Op op = kernel.instructions[stored.operands[0]].op;
  if (!stored.accumulate && op != Op::select) return {};
  result.changed = writer;
  if (!stored.accumulate &&
      !restrict_to_changes(result.changed, store, argument_of(writer, update.input))) {
    return {};
  }
  if (can_fault(kernel)) result.checks = checks_of(writer);
  result.changed.is_checked = result.checks.has_value();
  return result;
}

}  // namespace detail

/// Those of `updates` that a kernel can write sparsely: as an addition to some elements, or as a
/// select between old and new elements. The launch order has to run other readers of the input
/// before.
inline Vector<SparseUpdate> find_sparse_updates(Span<const LoweredKernel> kernels,
                                                Span<const NodeUpdate> updates) {
  Vector<SparseUpdate> result;
  if (updates.empty()) return result;
  const detail::Writers writers = detail::writers_of(kernels);
  for (const NodeUpdate& update : updates) {
    const auto known = writers.find(update.output);
    if (known == writers.end()) continue;
    auto found = detail::sparse_update_of(kernels, known->second, update);
    if (found) result.push_back(std::move(*found));
  }
  return result;
}

/// Excludes kernels that may write updates sparsely from row tiles, where they would write all
/// elements.
inline void exclude_from_row_tiles(Span<LoweredKernel> kernels, const Graph& graph,
                                   const Options& options) {
  if (!options.target.sparse_updates || options.is_section) return;
  Vector<NodeUpdate> updates;
  for (const Update& update : options.updates) {
    updates.push_back(
        {graph.inputs[update.input], stored_node(graph, graph.outputs[update.output])});
  }
  for (const SparseUpdate& change : find_sparse_updates(kernels, updates))
    kernels[change.at].is_untileable = true;
}

namespace detail {

inline bool same_checks(const LoweredKernel& a, const LoweredKernel& b) {
  return a.nodes == b.nodes && hash_with_symbols(a.kernel) == hash_with_symbols(b.kernel);
}

// Updates of several states at the same positions share a kernel of checks.
inline void add_checks(Vector<LoweredKernel>& kernels, Vector<std::size_t>& checks,
                       const LoweredKernel& more) {
  if (any_of(checks, [&](std::size_t k) { return same_checks(kernels[k], more); })) return;
  checks.push_back(kernels.size());
  kernels.push_back(more);
}

// A later kernel that recomputes a gather, such as that of an embedding, repeats the checks of the
// first one, so that it need not run before the updates.
inline void mark_repeated_checks(Vector<LoweredKernel>& kernels) {
  Vector<LoweredKernel> known;
  for (LoweredKernel& one : kernels) {
    if (!can_fault(one)) continue;
    LoweredKernel checks = checks_of(one);
    if (has_local(checks.kernel)) continue;
    one.is_checked =
        any_of(known, [&](const LoweredKernel& other) { return same_checks(other, checks); });
    if (!one.is_checked) known.push_back(std::move(checks));
  }
}

}  // namespace detail

/// `kernels` with `changes`. Kernels whose checks an earlier one makes as well are marked as
/// checked.
inline Vector<LoweredKernel> with_sparse_updates(Span<const LoweredKernel> kernels,
                                                 Span<const SparseUpdate> changes) {
  Vector<const SparseUpdate*> changed(kernels.size(), nullptr);
  Vector<bool> dropped(kernels.size(), false);
  for (const SparseUpdate& change : changes) {
    changed[change.at] = &change;
    if (change.copy) dropped[*change.copy] = true;
  }
  Vector<LoweredKernel> result;
  Vector<std::size_t> checks;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (dropped[k]) continue;
    if (changed[k] != nullptr && changed[k]->checks) {
      detail::add_checks(result, checks, *changed[k]->checks);
    }
    result.push_back(changed[k] != nullptr ? changed[k]->changed : kernels[k]);
  }
  detail::mark_repeated_checks(result);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
