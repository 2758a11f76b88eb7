#pragma once
// Sparse in-place updates: kernels that leave most of their output unchanged run only where they
// change it.

#include <cstdint>  // std::int32_t, std::int64_t
#include <utility>  // std::move, std::swap

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/schedule/lower/lowered_kernel.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

inline bool contains_extent(Span<const Extent> list, Extent variable) {
  return any_of(list, [&](Extent one) { return same(one, variable); });
}

// The instructions that the roots depend on, and the variables that these use; is_root(instruction)
// tells which are roots.
struct RequiredInstructions {
  Vector<bool> instructions{};
  std::vector<Extent> variables{};

  template <class IsRoot>
  RequiredInstructions(Kernel& kernel, const IsRoot& is_root)
      : instructions(kernel.instructions.size(), false) {
    for (std::size_t id = instructions.size(); id-- > 0;) {  // operands and binds come before users
      Instruction& one = kernel.instructions[id];
      const bool binds = one.code == Code::bind && contains_extent(variables, one.variable);
      if (!is_root(one) && !instructions[id] && !binds) continue;
      instructions[id] = true;
      for (const ValueId operand : one.operands) {
        instructions[operand] = true;
      }
      for_each_extent(one, [&](Extent& extent) {
        const auto list = sinter::detail::variables(extent);
        variables.insert(variables.end(), list.begin(), list.end());
      });
    }
  }
};

// How the instructions of `kernel` access each argument.
inline Vector<Optional<Access>> accesses_of(const Kernel& kernel) {
  Vector<Optional<Access>> result(kernel.arguments.size());
  const auto add = [&](std::int32_t argument, Access access) {
    Optional<Access>& known = result[argument];
    known = known && *known != access ? Access::read_write : access;
  };
  for (const Instruction& one : kernel.instructions) {
    if (one.argument < 0) continue;
    if (one.code == Code::load || one.accumulate) add(one.argument, Access::read);
    if (one.code != Code::load) add(one.argument, Access::write);
  }
  return result;
}

// Keeps only the instructions of `lowered` that `used` marks. It has no scratch memory.
inline void keep_instructions(LoweredKernel& lowered, const Vector<bool>& used) {
  schedule::keep_instructions(lowered.kernel, used);
  const auto accesses = accesses_of(lowered.kernel);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (accesses[i]) lowered.kernel.arguments[i].access = *accesses[i];
  }
  drop_unused_arguments(lowered);
}

// Iterations of a grid loop in which a condition may hold: `extent` of them from `start` on.
struct ChangedRange {
  Extent variable = 0, start = 0, extent = 0;
};

// A kernel that stores a new value where a condition holds, and the old element elsewhere.
struct SparseUpdateBuilder {
  Kernel& kernel;
  Vector<ChangedRange> ranges{};

  const Instruction& at(ValueId id) const { return kernel.instructions[id]; }

  const Loop* grid_loop(Extent variable) const {
    const auto is = [&](const Loop& loop) { return same(loop.variable, variable); };
    const auto found = find_if(kernel.grid, is);
    return found == kernel.grid.end() ? nullptr : &*found;
  }

  // The bind that defines `variable`; -1 if it is known before the kernel runs. Nothing if the bind
  // is inside a loop, or if `variable` is a loop variable.
  Optional<ValueId> bound_at(Extent variable) const {
    if (!variable.is_range()) return -1;
    for (const Stage& stage : kernel.stages) {
      for (const ValueId id : stage.body) {
        if (at(id).code != Code::bind || !same(at(id).variable, variable)) continue;
        return stage.loops.empty() ? Optional<ValueId>(id) : std::nullopt;
      }
    }
    return {};
  }

  // Whether `extent` is known before every use of `variable`, so that it can replace it.
  bool known_before_uses(Extent extent, Extent variable, const Vector<bool>& used) const {
    ValueId first = static_cast<ValueId>(kernel.instructions.size());
    for (ValueId id = first; id-- > 0;) {
      Instruction one = at(id);
      bool uses = false;
      for_each_extent(one, [&](Extent& part) { uses = uses || depends_on(part, variable); });
      if (uses && used[id]) first = id;
    }
    const auto list = variables(extent);
    return all_of(list, [&](Extent part) {
      const auto bound = bound_at(part);
      return bound && *bound < first;
    });
  }

  bool add(ChangedRange range) {
    const Loop* const loop = grid_loop(range.variable);
    const bool fits = loop != nullptr && proven_ge0(range.start) && proven_ge0(range.extent) &&
                      proven_less_equal(range.start + range.extent, loop->extent);
    const bool known = any_of(
        ranges, [&](const ChangedRange& other) { return same(other.variable, range.variable); });
    if (!fits || known) return false;
    ranges.push_back(range);
    return true;
  }

  bool add_equal(const Instruction& equal) {
    const Instruction *position = &at(equal.operands[0]), *other = &at(equal.operands[1]);
    const bool exact = position->dtype == i64 || position->dtype == i32;
    if (position->code != Code::index || other->code != Code::index || !exact) return false;
    if (grid_loop(position->index) == nullptr) std::swap(position, other);
    return add({position->index, other->index, 1});
  }

  bool add_guard(const Guard& guard) {
    Extent found = 0;
    for (const Extent variable : variables(guard.value)) {
      if (!variable.is_range()) continue;
      if (!found.is_number()) return false;
      found = variable;
    }
    if (found.is_number() || !has_step(guard.value, found)) return false;
    const Extent start = guard.low - without(guard.value, found);
    return add({found, start, guard.high - guard.low});
  }

  Optional<std::int64_t> number(ValueId id) const {
    const Instruction& one = at(id);
    if (one.code == Code::constant && !is_floating(one.dtype)) return one.constant.integer();
    if (one.code != Code::compute || one.op != Op::add || is_floating(one.dtype)) return {};
    const auto a = number(one.operands[0]), b = number(one.operands[1]);
    return a && b ? Optional(*a + *b) : std::nullopt;
  }

  // Adds the ranges where `id`, a select of two constants, exceeds `bound`. False if that is
  // unknown.
  bool add_choice(ValueId id, std::int64_t bound) {
    const Instruction& one = at(id);
    if (one.code != Code::compute || one.op != Op::select) return false;
    const auto yes = number(one.operands[1]), no = number(one.operands[2]);
    return yes && no && *yes > bound && *no <= bound && find_ranges(one.operands[0]);
  }

  // Adds the ranges where `id` holds. False if they are unknown.
  bool find_ranges(ValueId id) {
    const Instruction& one = at(id);
    if (one.code == Code::inside) {
      return all_of(one.guards, [&](const Guard& guard) { return add_guard(guard); });
    }
    if (one.code != Code::compute) return false;
    if (one.op == Op::eq) return add_equal(one);
    if (one.op == Op::select) return one.dtype == boolean && add_choice(id, 0);
    const auto bound = one.op == Op::gt ? number(one.operands[1]) : std::nullopt;
    return bound && add_choice(one.operands[0], *bound);
  }

  void replace(const ChangedRange& range) {
    const auto loop =
        find_if(kernel.grid, [&](const Loop& one) { return same(one.variable, range.variable); });
    Extent value = range.start;
    if (same(range.extent, 1)) {
      kernel.grid.erase(loop);
    } else {
      loop->variable = Extent::range(next_range(kernel), range.extent);
      loop->extent = range.extent;
      value += loop->variable;
    }
    substitute_all(kernel, {{range.variable, value}});
    for (Instruction& one : kernel.instructions) {
      erase_if(one.guards, [](const Guard& guard) {
        return proven_less_equal(guard.low, guard.value) && proven_less(guard.value, guard.high);
      });
    }
  }

  bool restrict_to_changes(LoweredKernel& lowered, ValueId store, std::int32_t input) {
    const Instruction& choice = at(at(store).operands[0]);
    if (choice.code != Code::compute || choice.op != Op::select) return false;
    const Instruction& old = at(choice.operands[2]);
    const bool stays = old.code == Code::load && old.argument == input && old.guards.empty() &&
                       same(old.index, at(store).index);
    if (!stays || !find_ranges(choice.operands[0]) || ranges.empty()) return false;
    const ValueId before = at(store).operands[0], changed = choice.operands[1];
    kernel.instructions[store].operands[0] = changed;
    const auto is_store = [](const Instruction& one) { return one.code == Code::store; };
    const RequiredInstructions needed(kernel, is_store);
    const bool known = all_of(ranges, [&](const ChangedRange& range) {
      return known_before_uses(range.start, range.variable, needed.instructions);
    });
    if (!known) {
      kernel.instructions[store].operands[0] = before;
      return false;
    }
    for (const ChangedRange& range : ranges) replace(range);
    keep_instructions(lowered, RequiredInstructions(kernel, is_store).instructions);
    return true;
  }
};

}  // namespace detail

/// A kernel that runs the checks of `lowered`, which has no scratch memory, and writes nothing.
inline LoweredKernel checks_of(const LoweredKernel& lowered) {
  LoweredKernel result = lowered;
  Kernel& kernel = result.kernel;
  const detail::RequiredInstructions needed(kernel,
                                            [](const Instruction& one) { return can_fault(one); });
  erase_if(kernel.grid, [&](const Loop& loop) {
    return !detail::contains_extent(needed.variables, loop.variable);
  });
  detail::keep_instructions(result, needed.instructions);
  return result;
}

/// Restricts `lowered` to the elements that it changes. It does if a condition selects between a
/// new value and the old element of argument `input`, and the condition holds only where one grid
/// loop has one value or is in a subrange. Returns false, and changes nothing, otherwise. `store`
/// has to be the only store of `lowered`, which has no scratch memory. Checks of other elements are
/// lost: see checks_of().
inline bool restrict_to_changes(LoweredKernel& lowered, ValueId store, std::int32_t input) {
  return detail::SparseUpdateBuilder{lowered.kernel}.restrict_to_changes(lowered, store, input);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
