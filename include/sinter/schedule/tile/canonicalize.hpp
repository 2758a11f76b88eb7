#pragma once
// The canonical form of row-tiled kernels for streaming: one loop over the steps of a row, and row
// scalars that stay in registers.

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

struct RowLoopMerger {
  Kernel& kernel;

  Instruction& at(ValueId id) { return kernel.instructions[id]; }

  // Whether `stage` has several loops, `loops`, over a row in local memory.
  bool go_along_row(const Stage& stage, const Vector<Loop>& loops) {
    return loops.size() > 1 && any_of(stage.body, [&](ValueId id) {
             const Instruction& one = at(id);
             return is_local(kernel, one) && depends_on(one.index, loops.back().variable);
           });
  }

  void merge(const Stage& stage, Vector<Loop>& loops) {
    Extent count = 1;
    for (const Loop& loop : loops) count *= loop.extent;
    const Extent step = Extent::range(next_range(kernel), count);
    Substitutions values;
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
    for (Stage& stage : kernel.stages) {
      if (go_along_row(stage, stage.loops)) merge(stage, stage.loops);
      if (go_along_row(stage, stage.contracted)) merge(stage, stage.contracted);
    }
  }
};

// Store-to-load forwarding of scalars that an earlier stage without loops has stored.
struct StoreForwarder {
  Kernel& kernel;
  Vector<ValueId> stores{};  // so far
  // For each instruction: itself, or the value that was stored.
  Vector<ValueId> replacements{};

  Instruction& at(ValueId id) { return kernel.instructions[id]; }
  ValueId& replacement_of(ValueId id) { return replacements[id]; }

  // The value that `load` reads, if an earlier store has it; else `load`.
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
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
      replacements.push_back(static_cast<ValueId>(i));
    }
    for (const Stage& stage : kernel.stages) {
      for (const ValueId id : stage.body) {
        for (ValueId& operand : at(id).operands) operand = replacement_of(operand);
        replacement_of(id) = stored(id);
        const bool number = at(id).code == Code::store && stage.loops.empty();
        if (number && !at(id).accumulate) stores.push_back(id);
      }
    }
  }

  // The arguments that are still read.
  Vector<bool> read_arguments() {
    Vector<bool> result(kernel.arguments.size(), false);
    for (std::size_t i = 0; i < replacements.size(); ++i) {
      const Instruction& one = kernel.instructions[i];
      const bool reads = one.code == Code::load && replacements[i] == static_cast<ValueId>(i);
      if (reads) result[one.argument] = true;
    }
    return result;
  }

  // Drops forwarded loads, and stores to local memory that is no longer read.
  void drop_instructions(const Vector<bool>& read) {
    Vector<bool> kept;
    for (std::size_t i = 0; i < replacements.size(); ++i) {
      const Instruction& one = kernel.instructions[i];
      const bool is_dead =
          one.code == Code::store && !read[one.argument] && schedule::is_local(kernel, one);
      kept.push_back(!is_dead && replacements[i] == static_cast<ValueId>(i));
    }
    keep_instructions(kernel, kept);
  }

  // Drops local memory that is no longer used. All other stores stay.
  void drop_arguments() {
    Vector<bool> remaining = used_arguments(kernel);
    for (std::size_t i = 0; i < remaining.size(); ++i) {
      if (kernel.arguments[i].access != Access::local) remaining[i] = true;
    }
    keep_arguments(kernel, remaining);
  }

  void run() {
    replace_loads();
    const Vector<bool> read = read_arguments();
    drop_instructions(read);
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
      Access& access = kernel.arguments[i].access;
      if (access == Access::read_write && !read[i]) access = Access::write;
    }
    drop_arguments();
  }
};

}  // namespace detail

/// Merges several loops over the elements of a local row of `kernel` into one, such as the loops
/// over the heads of a group and over their queries.
inline void merge_row_loops(Kernel& kernel) { detail::RowLoopMerger{kernel}.run(); }

/// Forwards row scalars that `kernel` stores to its later loads of them.
inline void forward_stores(Kernel& kernel) { detail::StoreForwarder{kernel}.run(); }

}  // namespace sinter::inline SINTER_ABI::detail::schedule
