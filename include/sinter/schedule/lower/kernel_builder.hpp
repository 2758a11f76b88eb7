#pragma once
// Builds a kernel: appends instructions to the stages in which their operands are known.

#include <algorithm>  // std::max, std::remove_if
#include <cstdint>    // std::uint64_t
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

using Guards = Vector<Guard>;

/// A place for instructions: even slots run once for each point of the grid, odd slots are loops
/// over the row. Slot 2n can use the results of reductions in slot 2n - 1.
using Slot = int;

inline constexpr Slot first_slot = 0;

inline bool is_loop(Slot slot) { return slot % 2 != 0; }

/// The loops over `ranges`; axes of extent 1 have no loop.
inline Vector<Loop> loops_over(const Index& ranges) {
  Vector<Loop> result;
  for (const Extent range : ranges) {
    if (!range.is_number()) result.push_back({range, range.range_extent()});
  }
  return result;
}

/// The hash of an instruction within its kernel and this process.
inline Hash identity(const Instruction& instruction) {
  Hasher hasher;
  hasher.add(static_cast<std::uint64_t>(instruction.code));
  hasher.add(static_cast<std::uint64_t>(instruction.op));
  hasher.add(static_cast<std::uint64_t>(instruction.dtype));
  for (const ValueId operand : instruction.operands) {
    hasher.add(static_cast<std::uint64_t>(operand));
  }
  hasher.add(static_cast<std::uint64_t>(instruction.constant.dtype));
  hasher.add(instruction.constant.bits).add(static_cast<std::uint64_t>(instruction.argument));
  if (instruction.code == Code::sort) hasher.add(static_cast<std::uint64_t>(instruction.source));
  hasher.add(instruction.index.bits()).add(instruction.bound.bits());
  if (instruction.custom != nullptr) hasher.add(instruction.custom->text_hash);
  for (const Guard& guard : instruction.guards) {
    hasher.add(guard.value.bits()).add(guard.low.bits()).add(guard.high.bits());
  }
  return hasher.result();
}

class KernelBuilder {
 public:
  KernelBuilder(const Index& grid, const Index& rows) : rows_(loops_over(rows)) {
    kernel_.grid = loops_over(grid);
    for (const Vector<Loop>* loops : {&kernel_.grid, &rows_}) {
      for (const Loop& loop : *loops) next_range_ = std::max(next_range_, loop.variable.id() + 1);
    }
    for (const Loop& loop : rows_) varying_.insert(loop.variable.bits());
  }

  /// True if `extent` varies along the row.
  bool varies(Extent extent) const {
    const auto found = variables(extent);
    return any_of(found, [&](Extent variable) { return varying_.count(variable.bits()) != 0; });
  }

  bool varies(const Index& index) const {
    return any_of(index, [&](Extent at) { return varies(at); });
  }

  bool varies(Span<const Guard> guards) const {
    return any_of(guards, [&](const Guard& guard) { return varies(guard.value); });
  }

  /// True if `value`, computed from the element `at` of a tensor of `shape`, depends on a loop over
  /// each axis that may be empty. Otherwise the kernel may compute it though there is no element.
  bool is_in_loops_over(const Shape& shape, const Index& at, ValueId value) const {
    for (int axis = 0; axis < shape.size(); ++axis) {
      if (proven_less(0, shape[axis])) continue;
      const bool depends = any_of(variables(at[axis]), [&](Extent variable) {
        return varies_along(kernel_, value, variable);
      });
      if (!depends) return false;
    }
    return true;
  }

  /// The first slot in which all variables of `extent`, except those of the row loops, are bound.
  Slot bound_from(Extent extent) const {
    Slot result = first_slot;
    for (const Extent variable : variables(extent)) {
      const auto found = bound_.find(variable.bits());
      if (found != bound_.end()) result = std::max(result, found->second);
    }
    return result;
  }

  Slot bound_from(const Index& index) const {
    Slot result = first_slot;
    for (const Extent at : index) result = std::max(result, bound_from(at));
    return result;
  }

  Slot bound_from(Span<const Guard> guards) const {
    Slot result = first_slot;
    for (const Guard& guard : guards) {
      result = std::max(result, bound_from(Index{guard.value, guard.low, guard.high}));
    }
    return result;
  }

  /// True if `extent` is the variable of a bind.
  bool is_bound(Extent extent) const { return bound_.count(extent.bits()) != 0; }

  /// Appends `instruction` unless the slot has an equal one; returns its value.
  ValueId append(Slot slot, Instruction instruction) {
    const auto next = static_cast<ValueId>(kernel_.instructions.size());
    if (instruction.code != Code::store) {
      const Hash key =
          Hasher().add(static_cast<std::uint64_t>(slot)).add(identity(instruction)).result();
      const auto [entry, is_new] = known_.emplace(key, next);
      if (!is_new) return entry->second;
    }
    if (static_cast<std::size_t>(slot) >= slots_.size()) {
      slots_.resize(static_cast<std::size_t>(slot) + 1);
    }
    slots_[slot].push_back(next);
    kernel_.instructions.push_back(std::move(instruction));
    slot_of_.push_back(slot);
    return next;
  }

  /// The first slot that can use `value`; if that is a loop, later slots cannot use it.
  Slot known_from(ValueId value) const {
    const Slot slot = slot_of_[value];
    return (*this)[value].code == Code::reduce ? slot + 1 : slot;
  }

  const Instruction& operator[](ValueId value) const { return kernel_.instructions[value]; }

  /// The argument of `elements` for the memory of `node`; adds `access` to its accesses.
  std::int32_t argument(NodeId node, DType dtype, Extent elements, Access access) {
    const auto next = static_cast<std::int32_t>(kernel_.arguments.size());
    const auto [entry, is_new] = arguments_.emplace(node, next);
    if (is_new) {
      kernel_.arguments.push_back({dtype, access, elements});
      nodes.push_back(node);
    }
    Access& known = kernel_.arguments[entry->second].access;
    if (known != access) known = Access::read_write;
    return entry->second;
  }

  /// A new argument for scratch memory of one row.
  std::int32_t local(DType dtype, Extent elements) {
    kernel_.arguments.push_back({dtype, Access::local, elements});
    nodes.push_back(0);
    return static_cast<std::int32_t>(kernel_.arguments.size()) - 1;
  }

  /// Appends the bind `instruction` unless there is an equal one; returns its variable, which
  /// varies along the row if the slot is a loop.
  Extent bind(Slot slot, Instruction instruction) {
    instruction.variable = Extent::range(next_range_, instruction.bound);
    const auto next = static_cast<ValueId>(kernel_.instructions.size());
    const ValueId appended = append(slot, std::move(instruction));
    const Extent variable = kernel_.instructions[appended].variable;
    if (appended == next) ++next_range_;
    bound_.emplace(variable.bits(), slot);
    if (is_loop(slot) && !variable.is_number()) varying_.insert(variable.bits());
    return variable;
  }

  const Vector<Loop>& grid() const { return kernel_.grid; }

  /// The kernel, with its stages in order and without dead instructions.
  /// Slots become stages; an even slot after an empty odd one continues the previous stage.
  Kernel build() {
    Vector<Instruction> instructions;
    Vector<ValueId> moved(kernel_.instructions.size(), -1);
    const Vector<bool> used = this->used();
    for (auto& slot : slots_) {
      slot.erase(std::remove_if(slot.begin(), slot.end(), [&](ValueId id) { return !used[id]; }),
                 slot.end());
    }
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot].empty()) continue;
      const bool loop = is_loop(static_cast<Slot>(slot));
      auto& stages = kernel_.stages;
      const bool goes_on = !loop && !stages.empty() && stages.back().loops.empty();
      if (!goes_on) stages.push_back({loop ? rows_ : Vector<Loop>{}, {}});
      for (const ValueId old : slots_[slot]) {
        Instruction& instruction = kernel_.instructions[old];
        for (ValueId& operand : instruction.operands) {
          operand = moved[operand];
          if (operand < 0) throw InternalError("schedule: a value is used before it is computed");
        }
        moved[old] = static_cast<ValueId>(instructions.size());
        stages.back().body.push_back(static_cast<ValueId>(instructions.size()));
        instructions.push_back(std::move(instruction));
      }
    }
    kernel_.instructions = std::move(instructions);
    return std::move(kernel_);
  }

  Vector<NodeId> nodes{};  ///< For each argument.

 private:
  // Operands come before their users, within a slot and from slot to slot.
  Vector<bool> used() const {
    Vector<bool> result(kernel_.instructions.size(), false);
    for (std::size_t slot = slots_.size(); slot-- > 0;) {
      for (std::size_t i = slots_[slot].size(); i-- > 0;) {
        const ValueId id = slots_[slot][i];
        const Instruction& instruction = kernel_.instructions[id];
        const bool acts = instruction.code == Code::store || instruction.code == Code::bind ||
                          instruction.code == Code::combine || instruction.code == Code::sort;
        result[id] = result[id] || acts;
        if (!result[id]) continue;
        for (const ValueId operand : instruction.operands) {
          result[operand] = true;
        }
      }
    }
    return result;
  }

  Kernel kernel_{};
  Vector<Loop> rows_{};
  Vector<Vector<ValueId>> slots_{};
  Vector<Slot> slot_of_{};  // for each instruction
  HashMap<Hash, ValueId, HashOfHash> known_{};
  HashMap<NodeId, std::int32_t> arguments_{};
  HashSet<std::uint64_t> varying_{};
  HashMap<std::uint64_t, Slot> bound_{};  // the slot of the bind of each variable
  std::uint32_t next_range_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule
