#pragma once

#include <cstddef>    // std::size_t
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/schedule/analysis/statistics.hpp>
#include <sinter/schedule/loop/clip.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/schedule/tile/factors.hpp>
#include <sinter/schedule/tile/scratch.hpp>
#include <sinter/schedule/tile/subkernels.hpp>
#include <sinter/schedule/tile/symbols.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

struct SubkernelBuilder {
  const Kernel& whole;
  Clip clip{};
  const Target& target;
  RowTileSymbols names{whole, clip, target.row_tiles.most_tile_rows};
  Subkernels result{whole.arguments};
  Vector<std::int32_t> subkernel_of{};  // for each instruction
  // For each value that passes between subkernels: its argument; else -1.
  Vector<std::int32_t> scratch{};
  // For each subkernel: the values that it passes on.
  Vector<Vector<ValueId>> passed_on{};
  Vector<Vector<std::size_t>> stages_of{};  // for each subkernel

  const Instruction& at(ValueId id) const { return whole.instructions[id]; }

  void find_stages() {
    bool continues = false;
    for (std::size_t i = 0; i < whole.stages.size(); ++i) {
      const bool contracts = !whole.stages[i].contracted.empty();
      if (contracts || !continues) stages_of.emplace_back();
      stages_of.back().push_back(i);
      continues = !contracts;
    }
    subkernel_of.assign(whole.instructions.size(), -1);
    for (std::size_t subkernel = 0; subkernel < stages_of.size(); ++subkernel) {
      for (const std::size_t stage : stages_of[subkernel]) {
        for (const ValueId id : whole.stages[stage].body) {
          subkernel_of[id] = static_cast<std::int32_t>(subkernel);
        }
      }
    }
  }

  // Whether `id` is as cheap to rematerialize as to load.
  bool is_cheap(ValueId id) const {
    const Code code = at(id).code;
    return code == Code::constant || code == Code::index || code == Code::inside;
  }

  void find_passed_on() {
    passed_on.resize(stages_of.size());
    scratch.assign(whole.instructions.size(), -1);
    for (std::size_t user = 0; user < whole.instructions.size(); ++user) {
      for (const ValueId id : whole.instructions[user].operands) {
        if (subkernel_of[id] == subkernel_of[user] || is_cheap(id) || scratch[id] >= 0) continue;
        scratch[id] = static_cast<std::int32_t>(result.arguments.size());
        result.arguments.push_back({at(id).dtype, Access::local, 1});
        passed_on[subkernel_of[id]].push_back(id);
      }
    }
  }

  // A subkernel that is being written.
  struct Output {
    Subkernel subkernel{};
    // For each instruction of the whole kernel: its value in the subkernel.
    Vector<ValueId> values{};
    Vector<std::int32_t> arguments{};
    Extent whole_loop = 0, clipped_loop = 0;  // the variable of a clipped loop
  };

  Extent in_subkernel(const Output& output, Extent extent) const {
    if (extent.is_number()) return extent;
    return substitute(extent, [&](Extent variable) {
      return same(variable, output.whole_loop) ? output.clipped_loop
                                               : grid_value(variable, names.first + names.row);
    });
  }

  // What `variable` is in a subkernel, if it is one of the grid, whose row is `row`.
  Extent grid_value(Extent variable, Extent row) const {
    for (std::size_t i = 0; i < whole.grid.size(); ++i) {
      if (same(whole.grid[i].variable, variable))
        return i + 1 < whole.grid.size() ? names.outer[i] : row;
    }
    return variable;
  }

  std::int32_t argument_of(Output& output, std::int32_t argument, Access access) const {
    std::int32_t& known = output.arguments[argument];
    auto& all = output.subkernel.kernel.arguments;
    if (known >= 0) {
      Access& before = all[known].access;
      if (before != access && before != Access::local) before = Access::read_write;
      return known;
    }
    Argument added = result.arguments[argument];
    known = static_cast<std::int32_t>(all.size());
    if (!result.is_private[argument]) {
      if (added.access == Access::local) added.elements = added.elements * names.rows;
      added.access = access;
      output.subkernel.arguments.push_back(argument);
    }
    all.push_back(added);
    return known;
  }

  void place(Output& output, Instruction& one) const {
    const Argument& argument = result.arguments[one.argument];
    if (argument.access == Access::local && !result.is_private[one.argument]) {
      one.index = names.row * argument.elements + one.index;
    }
    const Access access = one.code == Code::store ? Access::write : Access::read;
    one.argument = argument_of(output, one.argument, access);
  }

  // Operands from other subkernels, in a stage of their own.
  void write_operands(Output& output, std::int32_t subkernel) const {
    for (const std::size_t stage : stages_of[subkernel]) {
      for (const ValueId user : whole.stages[stage].body) {
        for (const ValueId id : at(user).operands) {
          ValueId& value = output.values[id];
          if (subkernel_of[id] == subkernel || value >= 0) continue;
          Instruction one = at(id);
          if (is_cheap(id)) {
            rename_variables_of(output, one);
          } else {
            one = {.code = Code::load, .op = Op::input, .dtype = one.dtype};
            one.where = at(id).where;
            one.remark = at(id).remark;
            one.constant = constant(0, one.dtype);
            one.argument = scratch[id];
            one.index = 0;
            place(output, one);
          }
          value = append(output.subkernel.kernel, std::move(one));
        }
      }
    }
  }

  void rename_variables_of(const Output& output, Instruction& one) const {
    one.index = in_subkernel(output, one.index);
    for (Guard& guard : one.guards) {
      guard = {in_subkernel(output, guard.value), in_subkernel(output, guard.low),
               in_subkernel(output, guard.high)};
    }
  }

  // The loops of `stage`, or those that it contracts, clipped.
  Vector<Loop> loops_of(Output& output, std::size_t stage, bool contracted) const {
    const Stage& from = whole.stages[stage];
    if (!contracted) output.whole_loop = 0;
    Vector<Loop> loops = contracted ? from.contracted : from.loops;
    if (!clip.found || !(contracted ? clip.contracted : clip.loops)[stage]) return loops;
    const auto id = names.row.id() + 1 + static_cast<std::uint32_t>(stage);
    output.whole_loop = loops[0].variable;
    const Extent step = Extent::range(id, names.end);
    output.clipped_loop = clip.before ? step + (loops[0].extent - names.end) : step;
    return {{step, names.end}};
  }

  void write(Output& output, ValueId id) const {
    Instruction one = at(id);
    for (ValueId& operand : one.operands) operand = output.values[operand];
    rename_variables_of(output, one);
    if (one.argument >= 0) place(output, one);
    output.values[id] = append(output.subkernel.kernel, std::move(one));
  }

  void write_passed_on(Output& output, std::int32_t subkernel) const {
    for (const ValueId id : passed_on[subkernel]) {
      Instruction one{.code = Code::store, .dtype = at(id).dtype};
      one.operands = {output.values[id]};
      one.where = at(id).where;
      one.remark = at(id).remark;
      one.argument = scratch[id];
      place(output, one);
      append(output.subkernel.kernel, std::move(one));
    }
  }

  // The number of checks in earlier subkernels.
  std::int32_t checks_before(std::int32_t subkernel) const {
    std::int32_t count = 0;
    for (std::size_t id = 0; id < whole.instructions.size(); ++id) {
      count += subkernel_of[id] < subkernel && can_fault(whole.instructions[id]) ? 1 : 0;
    }
    return count;
  }

  // A stage that contracts becomes a kernel whose grid also has the columns.
  void write_contracted(Output& output, std::size_t index) const {
    Kernel& kernel = output.subkernel.kernel;
    const Stage& stage = whole.stages[index];
    const std::size_t inside = contracted_size(whole, stage);
    const Vector<Loop> columns = loops_of(output, index, false);
    kernel.grid.insert(kernel.grid.end(), columns.begin(), columns.end());
    kernel.stages.push_back({loops_of(output, index, true)});
    for (std::size_t i = 0; i < stage.body.size(); ++i) {
      if (i == inside) kernel.stages.emplace_back();
      write(output, stage.body[i]);
    }
    output.subkernel.is_product = true;
  }

  Subkernel subkernel(std::int32_t index) const {
    Output output;
    output.values.assign(whole.instructions.size(), -1);
    output.arguments.assign(result.arguments.size(), -1);
    Kernel& kernel = output.subkernel.kernel;
    kernel.symbols = names.symbols;
    kernel.checks_before = checks_before(index);
    kernel.grid.push_back({names.row, names.rows});
    kernel.stages.emplace_back();
    write_operands(output, index);
    for (const std::size_t i : stages_of[index]) {
      const Stage& stage = whole.stages[i];
      if (!stage.contracted.empty()) {
        write_contracted(output, i);
        continue;
      }
      kernel.stages.push_back({loops_of(output, i, false)});
      for (const ValueId id : stage.body) write(output, id);
    }
    if (!passed_on[index].empty()) kernel.stages.emplace_back();
    write_passed_on(output, index);
    erase_if(kernel.stages, [](const Stage& stage) { return stage.body.empty(); });
    if (output.subkernel.is_product) {
      order_grid(kernel);
      fuse_loops(kernel);
    }
    vectorize(kernel, output.subkernel.is_product, target.loops);
    return std::move(output.subkernel);
  }
};

}  // namespace detail

SINTER_INLINE Subkernels subkernels_of(const Kernel& whole, bool clips, const Target& target) {
  detail::SubkernelBuilder builder{whole, clips ? clip_of(whole) : Clip{}, target};
  builder.find_stages();
  builder.find_passed_on();
  place_scratch(whole, builder.subkernel_of, builder.result);
  for (std::size_t i = 0; i < builder.stages_of.size(); ++i) {
    builder.result.kernels.push_back(builder.subkernel(static_cast<std::int32_t>(i)));
  }
  builder.result.symbols = builder.names.symbols;
  if (builder.clip.found) {
    const detail::RowTileSymbols& names = builder.names;
    const Extent steps = names.extent_of(whole, builder.clip);
    const auto end_at = [&](Extent row) {
      const Extent end = substitute(
          builder.clip.end, [&](Extent variable) { return builder.grid_value(variable, row); });
      return builder.clip.before ? steps - end : end;
    };
    const bool before = builder.clip.before;
    builder.result.end = end_at(before ? names.first : names.first + names.rows - 1);
    builder.result.last_end = end_at(before ? Extent(0) : whole.grid.back().extent - 1);
    builder.result.extent = steps;
  }
  return std::move(builder.result);
}

// Row-tiled kernels whose columns threads share.

namespace detail {

// For each argument, how many subkernels use it.
SINTER_INLINE Vector<std::size_t> uses_of_arguments(const Subkernels& subkernels) {
  Vector<std::size_t> result(subkernels.arguments.size(), 0);
  for (const Subkernel& subkernel : subkernels.kernels) {
    for (const std::int32_t argument : subkernel.arguments) ++result[argument];
  }
  return result;
}

// The arguments of the whole kernel that `subkernel` writes.
SINTER_INLINE Vector<std::int32_t> arguments_written_by(const Subkernel& subkernel) {
  Vector<std::int32_t> result;
  for_each_buffer(subkernel.kernel, subkernel.arguments, [&](std::int32_t of_whole, std::size_t i) {
    if (subkernel.kernel.arguments[i].access != Access::read) result.push_back(of_whole);
  });
  return result;
}

}  // namespace detail

SINTER_INLINE bool Subkernels::can_share_columns() const {
  const Vector<std::size_t> uses = detail::uses_of_arguments(*this);
  if (clips()) return false;
  for (const Subkernel& subkernel : kernels) {
    // Then the rows of the tile are columns of the product.
    const bool is_transposed =
        subkernel.is_product && any_of(subkernel.kernel.grid, [&](const Loop& loop) {
          return depends_on(loop.extent, symbols.back()) &&
                 detail::is_column_loop(subkernel.kernel, loop.variable);
        });
    if (is_transposed) return false;
    for (const std::int32_t argument : detail::arguments_written_by(subkernel)) {
      const bool is_local = arguments[argument].access == Access::local;
      if (subkernel.is_product ? is_local || uses[argument] > 1 : !is_local) return false;
    }
  }
  return true;
}

SINTER_INLINE Extent Subkernels::operations_before() const {
  Extent result = 0;
  for (const Subkernel& subkernel : kernels) {
    if (subkernel.is_product) continue;
    Kernel row = subkernel.kernel;
    row.grid.clear();
    result += operations_of(row);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
