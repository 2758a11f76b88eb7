#pragma once

#include <algorithm>  // std::any_of
#include <cstddef>    // std::size_t
#include <utility>    // std::move
#include <vector>     // std::vector

#include <sinter/schedule/analysis/statistics.hpp>
#include <sinter/schedule/loop/clip.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/schedule/tile/factors.hpp>
#include <sinter/schedule/tile/scratch.hpp>
#include <sinter/schedule/tile/subkernels.hpp>
#include <sinter/schedule/tile/symbols.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

struct Parter {
  const Kernel& whole;
  Clip clip{};
  RowNames names{whole, clip};
  BlockParts result{whole.arguments};
  std::vector<std::int32_t> part_of{};           // of each instruction
  std::vector<std::int32_t> scratch{};           // of each value that goes from part to part; or -1
  std::vector<std::vector<ValueId>> handed{};    // for each part: what it hands on
  std::vector<std::vector<std::size_t>> runs{};  // for each part: its stages

  const Instruction& at(ValueId id) const {
    return whole.instructions[static_cast<std::size_t>(id)];
  }

  void find_runs() {
    bool goes_on = false;
    for (std::size_t i = 0; i < whole.stages.size(); ++i) {
      const bool contracts = !whole.stages[i].contracted.empty();
      if (contracts || !goes_on) runs.emplace_back();
      runs.back().push_back(i);
      goes_on = !contracts;
    }
    part_of.assign(whole.instructions.size(), -1);
    for (std::size_t part = 0; part < runs.size(); ++part) {
      for (const std::size_t stage : runs[part]) {
        for (const ValueId id : whole.stages[stage].body) {
          part_of[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(part);
        }
      }
    }
  }

  // Whether `id` is as easily had again as read.
  bool is_easy(ValueId id) const {
    const Code code = at(id).code;
    return code == Code::constant || code == Code::index || code == Code::inside;
  }

  void find_handed() {
    handed.resize(runs.size());
    scratch.assign(whole.instructions.size(), -1);
    for (std::size_t user = 0; user < whole.instructions.size(); ++user) {
      for (const ValueId id : whole.instructions[user].operands) {
        const auto from = static_cast<std::size_t>(id);
        if (part_of[from] == part_of[user] || is_easy(id) || scratch[from] >= 0) continue;
        scratch[from] = static_cast<std::int32_t>(result.arguments.size());
        result.arguments.push_back({at(id).dtype, Access::local, 1});
        handed[static_cast<std::size_t>(part_of[from])].push_back(id);
      }
    }
  }

  // A part that is being written.
  struct Writing {
    BlockPart part{};
    std::vector<ValueId> values{};  // of the whole, in the part
    std::vector<std::int32_t> arguments{};
    Extent whole_loop = 0, clipped_loop = 0;  // the variable of a clipped loop
  };

  Extent in_part(const Writing& writing, Extent extent) const {
    if (extent.is_number()) return extent;
    return substitute(extent, [&](Extent variable) {
      if (same(variable, writing.whole_loop)) return writing.clipped_loop;
      for (std::size_t i = 0; i < whole.grid.size(); ++i) {
        if (!same(whole.grid[i].variable, variable)) continue;
        return i + 1 < whole.grid.size() ? names.outer[i] : names.first + names.row;
      }
      return variable;
    });
  }

  std::int32_t argument_of(Writing& writing, std::int32_t argument, Access access) const {
    std::int32_t& known = writing.arguments[static_cast<std::size_t>(argument)];
    auto& all = writing.part.kernel.arguments;
    if (known >= 0) {
      Access& before = all[static_cast<std::size_t>(known)].access;
      if (before != access && before != Access::local) before = Access::read_write;
      return known;
    }
    Argument added = result.arguments[static_cast<std::size_t>(argument)];
    known = static_cast<std::int32_t>(all.size());
    if (!result.single[static_cast<std::size_t>(argument)]) {
      if (added.access == Access::local) added.elements = added.elements * names.rows;
      added.access = access;
      writing.part.arguments.push_back(argument);
    }
    all.push_back(added);
    return known;
  }

  void place(Writing& writing, Instruction& one) const {
    const Argument& argument = result.arguments[static_cast<std::size_t>(one.argument)];
    if (argument.access == Access::local &&
        !result.single[static_cast<std::size_t>(one.argument)]) {
      one.index = names.row * argument.elements + one.index;
    }
    const Access access = one.code == Code::store ? Access::write : Access::read;
    one.argument = argument_of(writing, one.argument, access);
  }

  static ValueId push(Writing& writing, Instruction one) {
    const auto next = static_cast<ValueId>(writing.part.kernel.instructions.size());
    writing.part.kernel.instructions.push_back(std::move(one));
    writing.part.kernel.stages.back().body.push_back(next);
    return next;
  }

  // Operands from other parts, in a stage of their own.
  void write_given(Writing& writing, std::int32_t part) const {
    for (const std::size_t stage : runs[static_cast<std::size_t>(part)]) {
      for (const ValueId user : whole.stages[stage].body) {
        for (const ValueId id : at(user).operands) {
          ValueId& value = writing.values[static_cast<std::size_t>(id)];
          if (part_of[static_cast<std::size_t>(id)] == part || value >= 0) continue;
          Instruction one = at(id);
          if (is_easy(id)) {
            relocate(writing, one);
          } else {
            one = {.code = Code::load, .op = Op::input, .dtype = one.dtype};
            one.where = at(id).where;
            one.remark = at(id).remark;
            one.constant = constant(0, one.dtype);
            one.argument = scratch[static_cast<std::size_t>(id)];
            one.index = 0;
            place(writing, one);
          }
          value = push(writing, std::move(one));
        }
      }
    }
  }

  void relocate(const Writing& writing, Instruction& one) const {
    one.index = in_part(writing, one.index);
    for (Guard& guard : one.guards) {
      guard = {in_part(writing, guard.value), in_part(writing, guard.low),
               in_part(writing, guard.high)};
    }
  }

  // The loops of `stage`, or those that it contracts, as far as they have an effect.
  std::vector<Loop> loops_of(Writing& writing, std::size_t stage, bool contracted) const {
    const Stage& from = whole.stages[stage];
    if (!contracted) writing.whole_loop = 0;
    std::vector<Loop> loops = contracted ? from.contracted : from.loops;
    if (!clip.found || !(contracted ? clip.contracted : clip.loops)[stage]) return loops;
    const auto id = names.row.id() + 1 + static_cast<std::uint32_t>(stage);
    writing.whole_loop = loops[0].variable;
    const Extent step = Extent::range(id, names.end);
    writing.clipped_loop = clip.before ? step + (loops[0].extent - names.end) : step;
    return {{step, names.end}};
  }

  void write(Writing& writing, ValueId id) const {
    Instruction one = at(id);
    for (ValueId& operand : one.operands)
      operand = writing.values[static_cast<std::size_t>(operand)];
    relocate(writing, one);
    if (one.argument >= 0) place(writing, one);
    writing.values[static_cast<std::size_t>(id)] = push(writing, std::move(one));
  }

  void write_handed(Writing& writing, std::int32_t part) const {
    for (const ValueId id : handed[static_cast<std::size_t>(part)]) {
      Instruction one{.code = Code::store, .dtype = at(id).dtype};
      one.operands = {writing.values[static_cast<std::size_t>(id)]};
      one.where = at(id).where;
      one.remark = at(id).remark;
      one.argument = scratch[static_cast<std::size_t>(id)];
      place(writing, one);
      push(writing, std::move(one));
    }
  }

  // How many places before `part` the data can be at fault in.
  std::int32_t checks_before(std::int32_t part) const {
    std::int32_t count = 0;
    for (std::size_t id = 0; id < whole.instructions.size(); ++id) {
      count += part_of[id] < part && can_fault(whole.instructions[id]) ? 1 : 0;
    }
    return count;
  }

  // What contracts becomes a kernel whose grid has the columns too.
  void write_contracted(Writing& writing, std::size_t number) const {
    Kernel& kernel = writing.part.kernel;
    const Stage& stage = whole.stages[number];
    const std::size_t inside = contracted_size(whole, stage);
    const std::vector<Loop> columns = loops_of(writing, number, false);
    kernel.grid.insert(kernel.grid.end(), columns.begin(), columns.end());
    kernel.stages.push_back({loops_of(writing, number, true)});
    for (std::size_t i = 0; i < stage.body.size(); ++i) {
      if (i == inside) kernel.stages.emplace_back();
      write(writing, stage.body[i]);
    }
    writing.part.is_product = true;
  }

  // Drops stages without instructions.
  static void tidy(Kernel& kernel) {
    std::vector<Stage> kept;
    for (Stage& stage : kernel.stages) {
      if (!stage.body.empty()) kept.push_back(std::move(stage));
    }
    kernel.stages = std::move(kept);
  }

  BlockPart part(std::int32_t number) const {
    Writing writing;
    writing.values.assign(whole.instructions.size(), -1);
    writing.arguments.assign(result.arguments.size(), -1);
    Kernel& kernel = writing.part.kernel;
    kernel.symbols = names.symbols;
    kernel.checks_before = checks_before(number);
    kernel.grid.push_back({names.row, names.rows});
    kernel.stages.emplace_back();
    write_given(writing, number);
    for (const std::size_t i : runs[static_cast<std::size_t>(number)]) {
      const Stage& stage = whole.stages[i];
      if (!stage.contracted.empty()) {
        write_contracted(writing, i);
        continue;
      }
      kernel.stages.push_back({loops_of(writing, i, false)});
      for (const ValueId id : stage.body) write(writing, id);
    }
    if (!handed[static_cast<std::size_t>(number)].empty()) kernel.stages.emplace_back();
    write_handed(writing, number);
    tidy(kernel);
    if (writing.part.is_product) {
      order_grid(kernel);
      merge_loops(kernel);
    }
    tile(kernel, writing.part.is_product);
    return std::move(writing.part);
  }
};

}  // namespace detail

SINTER_INLINE BlockParts parts_of(const Kernel& whole, bool clips) {
  detail::Parter parter{whole, clips ? clip_of(whole) : Clip{}};
  parter.find_runs();
  parter.find_handed();
  place_locals(whole, parter.part_of, parter.result);
  for (std::size_t i = 0; i < parter.runs.size(); ++i) {
    parter.result.parts.push_back(parter.part(static_cast<std::int32_t>(i)));
  }
  parter.result.symbols = parter.names.symbols;
  if (parter.clip.found) {
    const detail::RowNames& names = parter.names;
    const Extent steps = names.extent_of(whole, parter.clip);
    const auto end_at = [&](Extent row) {
      const Extent end = substitute(parter.clip.end, [&](Extent variable) {
        for (std::size_t i = 0; i < whole.grid.size(); ++i) {
          if (!same(whole.grid[i].variable, variable)) continue;
          return i + 1 < whole.grid.size() ? names.outer[i] : row;
        }
        return variable;
      });
      return parter.clip.before ? steps - end : end;
    };
    const bool before = parter.clip.before;
    parter.result.end = end_at(before ? names.first : names.first + names.rows - 1);
    parter.result.last_end = end_at(before ? Extent(0) : whole.grid.back().extent - 1);
    parter.result.extent = steps;
  }
  return std::move(parter.result);
}

// Blocks whose columns threads share.

namespace detail {

// How many of `parts` have each of their arguments.
SINTER_INLINE std::vector<std::size_t> uses_of(const BlockParts& parts) {
  std::vector<std::size_t> result(parts.arguments.size(), 0);
  for (const BlockPart& part : parts.parts) {
    for (const std::int32_t argument : part.arguments) ++result[static_cast<std::size_t>(argument)];
  }
  return result;
}

// The arguments of the whole that `part` writes.
SINTER_INLINE std::vector<std::size_t> written_by(const BlockPart& part) {
  std::vector<std::size_t> result;
  std::size_t next = 0;
  for (const Argument& argument : part.kernel.arguments) {
    if (argument.access == Access::local) continue;
    const auto of_whole = static_cast<std::size_t>(part.arguments[next++]);
    if (argument.access != Access::read) result.push_back(of_whole);
  }
  return result;
}

}  // namespace detail

SINTER_INLINE bool BlockParts::divides() const {
  const std::vector<std::size_t> uses = detail::uses_of(*this);
  if (clips()) return false;
  for (const BlockPart& part : parts) {
    // The rows of the block are no rows of the product then, but part of its columns.
    const bool is_turned =
        part.is_product &&
        std::any_of(part.kernel.grid.begin(), part.kernel.grid.end(), [&](const Loop& loop) {
          return depends_on(loop.extent, symbols.back()) &&
                 detail::is_column(part.kernel, loop.variable);
        });
    if (is_turned) return false;
    for (const std::size_t argument : detail::written_by(part)) {
      const bool is_local = arguments[argument].access == Access::local;
      if (part.is_product ? is_local || uses[argument] > 1 : !is_local) return false;
    }
  }
  return true;
}

SINTER_INLINE Extent BlockParts::operations_before() const {
  Extent result = 0;
  for (const BlockPart& part : parts) {
    if (part.is_product) continue;
    Kernel row = part.kernel;
    row.grid.clear();
    result += operations_of(row);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
