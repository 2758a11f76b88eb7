#pragma once
// Concatenation in place: kernels that compute operands of a concatenation store them into its
// result.

#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/lower/lowered_kernel.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Adds and drops stores of a kernel, and renumbers its instructions.
struct StoreEditor {
  LoweredKernel& lowered;
  Vector<bool> dropped{};                         // for each instruction
  HashMap<ValueId, Vector<Instruction>> added{};  // instructions to add after one

  explicit StoreEditor(LoweredKernel& one)
      : lowered(one), dropped(one.kernel.instructions.size()) {}

  std::int32_t add_argument(NodeId node, const TensorType& type) {
    if (const std::int32_t known = argument_of(lowered, node); known >= 0) return known;
    lowered.kernel.arguments.push_back({type.dtype, Access::write, numel(type.shape)});
    lowered.nodes.push_back(node);
    return static_cast<std::int32_t>(lowered.kernel.arguments.size()) - 1;
  }

  // The instructions that use the memory of `node`.
  Vector<ValueId> users(NodeId node) const {
    const std::int32_t argument = argument_of(lowered, node);
    Vector<ValueId> result;
    for (std::size_t id = 0; id < lowered.kernel.instructions.size(); ++id) {
      const Instruction& one = lowered.kernel.instructions[id];
      const bool uses = one.argument == argument || one.source == argument;
      if (uses) result.push_back(static_cast<ValueId>(id));
    }
    return result;
  }

  const Instruction& operator[](ValueId id) const { return lowered.kernel.instructions[id]; }

  // Whether the kernel accesses the memory of `node` by plain stores only.
  bool only_stores(NodeId node) const {
    const Vector<ValueId> found = users(node);
    return !found.empty() && all_of(found, [&](ValueId id) {
      return (*this)[id].code == Code::store && !(*this)[id].accumulate;
    });
  }

  void write_instructions() {
    Vector<Instruction> instructions;
    Vector<ValueId> renumbered(dropped.size(), -1);
    const auto append = [&](Instruction one, Stage& stage) {
      for (ValueId& operand : one.operands) operand = renumbered[operand];
      stage.body.push_back(static_cast<ValueId>(instructions.size()));
      instructions.push_back(std::move(one));
    };
    for (Stage& stage : lowered.kernel.stages) {
      const Vector<ValueId> body = std::move(stage.body);
      stage.body.clear();
      for (const ValueId id : body) {
        renumbered[id] = static_cast<ValueId>(instructions.size());
        if (!dropped[id]) append(std::move(lowered.kernel.instructions[id]), stage);
        const auto more = added.find(id);
        if (more == added.end()) continue;
        for (Instruction& one : more->second) append(std::move(one), stage);
      }
    }
    lowered.kernel.instructions = std::move(instructions);
  }

  void run() {
    write_instructions();
    drop_unused_arguments(lowered);
  }
};

// Whether `to` has a constant stride along each loop where `from` has one, and the same unit
// strides.
inline bool keeps_strides(Extent from, Extent to) {
  const auto list = variables(from);
  return all_of(list, [&](Extent variable) {
    if (!variable.is_range()) return true;
    const auto before = coefficient_of(from, variable), after = coefficient_of(to, variable);
    return before && after && same(*before, 1) == same(*after, 1);
  });
}

}  // namespace detail

/// Adds stores into the results of concatenations to the kernels that compute their operands.
class ConcatPlacer {
 public:
  ConcatPlacer(const Graph& graph, Vector<LoweredKernel>& kernels)
      : graph_(graph), kernels_(kernels) {}

  /// For each operand of the concatenation `of`: whether the kernels so far could be changed to
  /// store its elements into the memory of `of` too. That requires that the kernels only store to
  /// the operand, and that stores that are contiguous in the operand are so in the result.
  Vector<bool> place(NodeId of) {
    note_writers();
    const Node& node = graph_[of];
    const auto axis = static_cast<int>(number(node, "axis"));
    Vector<bool> result;
    Extent start = 0;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      result.push_back(place(of, i, start));
      start += graph_.type(node.inputs[i]).shape[axis];
    }
    return result;
  }

  /// Removes the stores to the memory of operands that no kernel reads.
  void drop_dead_stores() {
    HashSet<NodeId> read;
    for (const LoweredKernel& lowered : kernels_) {
      for_each_buffer(lowered, [&](NodeId node, std::size_t i) {
        if (lowered.kernel.arguments[i].access != Access::write) read.insert(node);
      });
    }
    for (const NodeId node : placed_) {
      if (is_output(node) || read.count(node) != 0) continue;
      for (const std::size_t k : writers_[node]) {
        detail::StoreEditor editor(kernels_[k]);
        if (detail::argument_of(editor.lowered, node) < 0) continue;
        for (const ValueId id : editor.users(node)) editor.dropped[id] = true;
        editor.run();
      }
    }
  }

 private:
  bool place(NodeId of, std::size_t operand, Extent start) {
    const NodeId from = stored_node(graph_, graph_[of].inputs[operand]);
    const auto writers = writers_.find(from);
    if (writers == writers_.end()) return false;
    Vector<detail::StoreEditor> editors;
    for (const std::size_t k : writers->second) editors.emplace_back(kernels_[k]);
    for (detail::StoreEditor& editor : editors) {
      if (!editor.only_stores(from)) return false;
      for (const ValueId id : editor.users(from)) {
        Instruction more = editor[id];
        more.index = index_in_result(of, operand, start, more.index);
        if (!detail::keeps_strides(editor[id].index, more.index)) return false;
        editor.added[id].push_back(std::move(more));
      }
    }
    for (detail::StoreEditor& editor : editors) {
      const std::int32_t argument = editor.add_argument(of, graph_[of].results[0]);
      for (auto& [id, list] : editor.added) list[0].argument = argument;
      editor.run();
    }
    auto& known = writers_[of];
    for (const std::size_t k : writers_[from]) {
      if (!contains(known, k)) known.push_back(k);
    }
    placed_.push_back(from);
    return true;
  }
  // The index into `of` of the element at `index` in the memory of its operand.
  Extent index_in_result(NodeId of, std::size_t operand, Extent start, Extent index) const {
    const Node& node = graph_[of];
    const Shape& shape = graph_.type(node.inputs[operand]).shape;
    Index found = reshaped({index}, {numel(shape)}, shape);
    found[static_cast<int>(number(node, "axis"))] += start;
    return linear(found, node.results[0].shape);
  }
  bool is_output(NodeId node) const {
    return any_of(graph_.outputs,
                  [&](Value output) { return stored_node(graph_, output) == node; });
  }
  void note_writers() {
    for (; noted_ < kernels_.size(); ++noted_) {
      for_each_buffer(kernels_[noted_], [&](NodeId node, std::size_t i) {
        const Access access = kernels_[noted_].kernel.arguments[i].access;
        if (access != Access::read) writers_[node].push_back(noted_);
      });
    }
  }

  const Graph& graph_;
  Vector<LoweredKernel>& kernels_;
  std::size_t noted_ = 0;  // the number of kernels in writers_
  HashMap<NodeId, Vector<std::size_t>> writers_{};
  Vector<NodeId> placed_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule
