#pragma once

#include <algorithm>  // std::any_of, std::erase_if
#include <utility>    // std::move, std::pair
#include <vector>     // std::vector

#include <sinter/schedule/loop/nest.hpp>
#include <sinter/schedule/tile/canonicalize.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

struct StepMerger {
  Kernel& block;

  Instruction& at(ValueId id) { return block.instructions[static_cast<std::size_t>(id)]; }

  bool is_local(const Instruction& one) const {
    return one.argument >= 0 &&
           block.arguments[static_cast<std::size_t>(one.argument)].access == Access::local;
  }

  // Whether `loops` of `stage` are several that go along a local row.
  bool go_along(const Stage& stage, const std::vector<Loop>& loops) {
    return loops.size() > 1 && std::any_of(stage.body.begin(), stage.body.end(), [&](ValueId id) {
             const Instruction& one = at(id);
             return is_local(one) && depends_on(one.index, loops.back().variable);
           });
  }

  void merge(const Stage& stage, std::vector<Loop>& loops) {
    Extent count = 1;
    for (const Loop& loop : loops) count *= loop.extent;
    const Extent step = Extent::range(next_range(block), count);
    std::vector<std::pair<Extent, Extent>> values;
    Extent rest = step;
    for (std::size_t i = loops.size(); i-- > 0;) {
      const Extent extent = loops[i].extent;
      values.emplace_back(loops[i].variable, i == 0 ? rest : rest % extent);
      rest = rest / extent;
    }
    for (const ValueId id : stage.body) {
      for_each_extent(at(id), [&](Extent& extent) {
        if (!extent.is_number()) extent = substitute(extent, values);
      });
    }
    loops = {{step, count}};
  }

  void run() {
    for (Stage& stage : block.stages) {
      if (go_along(stage, stage.loops)) merge(stage, stage.loops);
      if (go_along(stage, stage.contracted)) merge(stage, stage.contracted);
    }
  }
};

// Reads of numbers that an earlier stage without loops has stored.
struct NumberKeeper {
  Kernel& block;
  std::vector<ValueId> stores{};   // so far
  std::vector<ValueId> instead{};  // of each instruction: itself, or what was stored

  Instruction& at(ValueId id) { return block.instructions[static_cast<std::size_t>(id)]; }
  ValueId& instead_of(ValueId id) { return instead[static_cast<std::size_t>(id)]; }

  // What `load` reads, where that is known; or itself.
  ValueId stored(ValueId load) {
    const Instruction& one = at(load);
    if (one.code != Code::load || !one.guards.empty()) return load;
    for (const ValueId id : stores) {
      const Instruction& store = at(id);
      if (store.argument != one.argument || !same(store.index, one.index)) continue;
      if (at(store.operands[0]).dtype == one.dtype) return store.operands[0];
    }
    return load;
  }

  void replace_loads() {
    for (std::size_t i = 0; i < block.instructions.size(); ++i) {
      instead.push_back(static_cast<ValueId>(i));
    }
    for (const Stage& stage : block.stages) {
      for (const ValueId id : stage.body) {
        for (ValueId& operand : at(id).operands) operand = instead_of(operand);
        instead_of(id) = stored(id);
        const bool number = at(id).code == Code::store && stage.loops.empty();
        if (number && !at(id).accumulate) stores.push_back(id);
      }
    }
  }

  // The arguments that something still reads.
  std::vector<bool> read_ones() {
    std::vector<bool> result(block.arguments.size(), false);
    for (std::size_t i = 0; i < instead.size(); ++i) {
      const Instruction& one = block.instructions[i];
      const bool reads = one.code == Code::load && instead[i] == static_cast<ValueId>(i);
      if (reads) result[static_cast<std::size_t>(one.argument)] = true;
    }
    return result;
  }

  // Drops the loads, and stores to local memory that nothing reads.
  void drop_instructions(const std::vector<bool>& read) {
    std::vector<Instruction> kept;
    std::vector<ValueId> moved(instead.size(), -1);
    for (Stage& stage : block.stages) {
      std::vector<ValueId> body;
      for (const ValueId id : stage.body) {
        const auto argument = static_cast<std::size_t>(at(id).argument);
        const bool unread = at(id).code == Code::store && !read[argument] &&
                            block.arguments[argument].access == Access::local;
        if (unread || instead_of(id) != id) continue;
        for (ValueId& operand : at(id).operands) operand = moved[static_cast<std::size_t>(operand)];
        moved[static_cast<std::size_t>(id)] = static_cast<ValueId>(kept.size());
        body.push_back(static_cast<ValueId>(kept.size()));
        kept.push_back(at(id));
      }
      stage.body = std::move(body);
    }
    block.instructions = std::move(kept);
    std::erase_if(block.stages, [](const Stage& stage) { return stage.body.empty(); });
  }

  // Drops the local memory that nothing uses any more: all else is still stored.
  void drop_arguments() {
    std::vector<bool> kept = used_arguments(block);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (block.arguments[i].access != Access::local) kept[i] = true;
    }
    keep_arguments(block, kept);
  }

  void run() {
    replace_loads();
    const std::vector<bool> read = read_ones();
    drop_instructions(read);
    for (std::size_t i = 0; i < block.arguments.size(); ++i) {
      Access& access = block.arguments[i].access;
      if (access == Access::read_write && !read[i]) access = Access::write;
    }
    drop_arguments();
  }
};

}  // namespace detail

SINTER_INLINE void merge_steps(Kernel& block) { detail::StepMerger{block}.run(); }

SINTER_INLINE void keep_stored_numbers(Kernel& block) { detail::NumberKeeper{block}.run(); }

}  // namespace sinter::inline SINTER_ABI::detail::schedule
