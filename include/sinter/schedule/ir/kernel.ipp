#pragma once

#include <utility>  // std::move
#include <vector>   // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/symbol/extent/hash.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

struct KernelHasher {
  Hasher hasher{};
  Numbering numbering{};

  template <class T>
  void add(T number) {
    hasher.add(static_cast<std::uint64_t>(number));
  }
  void add_extent(Extent extent) { hash(hasher, extent, numbering); }

  void add_loops(const Vector<Loop>& loops) {
    add(loops.size());
    for (const Loop& loop : loops) {
      add_extent(loop.extent);
      add_extent(loop.variable);
      add(loop.unroll);
    }
  }

  void add_instruction(const Instruction& instruction) {
    add(instruction.code);
    add(key_of(instruction.op));
    add(instruction.dtype);
    add(instruction.operands.size());
    for (const ValueId operand : instruction.operands) add(operand);
    add(instruction.constant.dtype);
    add(instruction.constant.bits);
    add(instruction.argument);
    add(instruction.source);
    add_extent(instruction.index);
    add(instruction.guards.size());
    for (const Guard& guard : instruction.guards) {
      add_extent(guard.value);
      add_extent(guard.low);
      add_extent(guard.high);
    }
    add_extent(instruction.variable);
    add_extent(instruction.bound);
    add(instruction.accumulate);
    add(instruction.non_temporal);
    if (instruction.custom != nullptr) hasher.add(instruction.custom->text_hash);
  }
};

SINTER_INLINE std::string to_string(const Vector<Guard>& guards) {
  std::string result;
  for (const Guard& guard : guards) {
    result +=
        text(result.empty() ? "" : " and ", guard.low, " <= ", guard.value, " < ", guard.high);
  }
  return result;
}

SINTER_INLINE std::string operands_of(const Instruction& instruction) {
  std::string result;
  for (const ValueId operand : instruction.operands) result += text(" v", operand);
  return result;
}

// The right side of "v3: f32 = ...".
SINTER_INLINE std::string expression(const Instruction& instruction) {
  const std::string where = to_string(instruction.guards);
  switch (instruction.code) {
    case Code::load:
      return text("a", instruction.argument, "[", instruction.index, "]",
                  where.empty() ? "" : text(" if ", where, " else ", instruction.constant));
    case Code::constant:
      return text(instruction.constant);
    case Code::index:
      return text(instruction.index);
    case Code::inside:
      return where;
    case Code::random:
      return text("random", operands_of(instruction), " ", instruction.constant, " ",
                  instruction.index);
    case Code::divisor:
      return text("divisor", operands_of(instruction), where.empty() ? "" : " if " + where);
    case Code::reduce:
      return text("reduce ", instruction.op, operands_of(instruction),
                  instruction.op == Op::argmax ? text(" at ", instruction.index) : "");
    case Code::scan:
      return text("scan ", instruction.op, operands_of(instruction));
    default:
      break;
  }
  return text(instruction.op, operands_of(instruction));
}

SINTER_INLINE std::string line_of(const Kernel& kernel, ValueId id) {
  const Instruction& instruction = kernel.instructions[id];
  if (instruction.code == Code::store) {
    return text("a", instruction.argument, "[", instruction.index, "] ",
                instruction.accumulate ? "+=" : "=", operands_of(instruction));
  }
  if (instruction.code == Code::combine) {
    return text("a", instruction.argument, "[", instruction.index, "] = combine ", instruction.op,
                operands_of(instruction));
  }
  if (instruction.code == Code::sort) {
    return text("a", instruction.argument, "[", instruction.index, "] = positions of sorted a",
                instruction.source, " along ", instruction.variable, " < ", instruction.bound,
                instruction.constant.bits != 0 ? " descending" : "");
  }
  if (instruction.code == Code::bind) {
    const std::string guards = to_string(instruction.guards);
    return text("bind ", instruction.variable, " =", operands_of(instruction), " in ",
                instruction.bound, guards.empty() ? "" : " if " + guards);
  }
  return text("v", id, ": ", instruction.dtype, " = ", expression(instruction));
}

SINTER_INLINE std::string to_string(const Vector<Loop>& loops, bool vectorized) {
  std::string result;
  for (const Loop& loop : loops) {
    const bool last = &loop == &loops.back();
    result += text(result.empty() ? "" : ", ", loop.variable, " < ", loop.extent,
                   loop.unroll == 1 ? "" : text(" unroll ", loop.unroll),
                   vectorized && last ? " vector" : "");
  }
  return result;
}

SINTER_INLINE std::string to_string(const Argument& argument, std::size_t position) {
  constexpr std::string_view names[]{"read", "write", "read_write", "local"};
  return text(names[static_cast<std::size_t>(argument.access)], " a", position, ": ",
              argument.dtype, "[", argument.elements, "]",
              argument.call_invariant ? " call-invariant" : "");
}

SINTER_INLINE Hash hash_of(const Kernel& kernel, const Numbering& numbering) {
  KernelHasher all{.numbering = numbering};
  for (const Kernel& last : kernel.finalizers) {
    const Hash own = hash_of(last, numbering);
    all.hasher.add(own);
  }
  for (const Extent symbol : kernel.symbols) all.add_extent(symbol);
  all.add(kernel.symbols.size());
  all.add_loops(kernel.grid);
  all.add(kernel.arguments.size());
  for (const Argument& argument : kernel.arguments) {
    all.add(argument.dtype);
    all.add(argument.access);
    all.add_extent(argument.elements);
    if (argument.call_invariant) all.hasher.add("steady");  // keys of caches keep this word
  }
  all.add(kernel.stages.size());
  for (const Stage& stage : kernel.stages) {
    all.add_loops(stage.loops);
    all.add_loops(stage.contracted);
    all.add(stage.body.size());
    for (const ValueId id : stage.body) all.add(id);
  }
  all.add(kernel.instructions.size());
  for (const Instruction& instruction : kernel.instructions) all.add_instruction(instruction);
  all.add(kernel.vector_axis);
  all.add(kernel.serial);
  if (kernel.sums_windows) all.add(kernel.sums_windows);
  if (kernel.custom != nullptr) all.hasher.add("custom").add(kernel.custom->text_hash);
  if (kernel.guarded) all.hasher.add("guarded");
  if (kernel.batch_capacity != 0)
    all.hasher.add("parts").add(static_cast<std::uint64_t>(kernel.batch_capacity));
  return all.hasher.result();
}

}  // namespace detail

SINTER_INLINE Hash hash_of(const Kernel& kernel) { return detail::hash_of(kernel, Numbering()); }

SINTER_INLINE Hash hash_with_symbols(const Kernel& kernel) {
  return detail::hash_of(kernel, Numbering::of_symbol_ids());
}

SINTER_INLINE bool can_fault(const Kernel& kernel) {
  return any_of(kernel.instructions, [](const Instruction& one) { return can_fault(one); });
}

SINTER_INLINE std::size_t buffer_count(const Kernel& kernel) {
  std::size_t result = 0;
  for (const Argument& argument : kernel.arguments) result += argument.access != Access::local;
  return result;
}

SINTER_INLINE bool has(const Kernel& kernel, Code code) {
  return any_of(kernel.instructions, [code](const Instruction& one) { return one.code == code; });
}

SINTER_INLINE Extent count_of(const Vector<Loop>& loops) {
  Extent result = 1;
  for (const Loop& loop : loops) result *= loop.extent;
  return result;
}

SINTER_INLINE bool has_local(const Kernel& kernel) {
  return any_of(kernel.arguments,
                [](const Argument& argument) { return argument.access == Access::local; });
}

SINTER_INLINE bool is_local(const Kernel& kernel, const Instruction& one) {
  return one.argument >= 0 && kernel.arguments[one.argument].access == Access::local;
}

SINTER_INLINE bool any_load(const Kernel& kernel, ValueId value,
                            FunctionRef<bool(const Instruction&)> holds) {
  SmallVector<bool, 64> known;
  known.resize(static_cast<std::size_t>(value) + 1);  // operands come before their users
  SmallVector<ValueId, 16> open{value};
  while (!open.empty()) {
    const ValueId id = open.back();
    open.pop_back();
    if (known[id]) continue;
    known[id] = true;
    const Instruction& one = kernel.instructions[id];
    if (one.code == Code::load && holds(one)) return true;
    open.append(one.operands.begin(), one.operands.end());
  }
  return false;
}

SINTER_INLINE bool varies_along(const Kernel& kernel, ValueId value, Extent variable) {
  return any_load(kernel, value,
                  [&](const Instruction& load) { return depends_on(load.index, variable); });
}

SINTER_INLINE bool stores_first(const Kernel& kernel, std::int32_t argument) {
  if (kernel.custom != nullptr) return kernel.arguments[argument].access == Access::write;
  for (const Instruction& one : kernel.instructions) {
    if (one.source == argument) return false;
    if (one.argument != argument) continue;
    return one.code != Code::load && !one.accumulate;
  }
  return false;
}

SINTER_INLINE Vector<bool> used_arguments(const Kernel& kernel) {
  Vector<bool> result(kernel.arguments.size(), kernel.custom != nullptr);
  for (const Instruction& one : kernel.instructions) {
    if (one.argument >= 0) result[one.argument] = true;
    if (one.source >= 0) result[one.source] = true;
  }
  return result;
}

SINTER_INLINE void keep_arguments(Kernel& kernel, const Vector<bool>& kept) {
  Vector<std::int32_t> moved(kept.size(), -1);
  Vector<Argument> arguments;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    moved[i] = static_cast<std::int32_t>(arguments.size());
    arguments.push_back(kernel.arguments[i]);
  }
  kernel.arguments = std::move(arguments);
  for (Instruction& one : kernel.instructions) {
    if (one.argument >= 0) one.argument = moved[one.argument];
    if (one.source >= 0) one.source = moved[one.source];
  }
}

SINTER_INLINE void keep_instructions(Kernel& kernel, const Vector<bool>& kept) {
  Vector<ValueId> moved(kept.size(), -1);
  Vector<Instruction> instructions;
  for (Stage& stage : kernel.stages) {
    erase_if(stage.body, [&](ValueId id) { return !kept[id]; });
    for (ValueId& id : stage.body) {
      Instruction& one = kernel.instructions[id];
      for (ValueId& operand : one.operands) operand = moved[operand];
      moved[id] = static_cast<ValueId>(instructions.size());
      instructions.push_back(std::move(one));
      id = moved[id];
    }
  }
  kernel.instructions = std::move(instructions);
  erase_if(kernel.stages, [](const Stage& stage) { return stage.body.empty(); });
}

SINTER_INLINE ValueId append(Kernel& kernel, Instruction one) {
  kernel.stages.back().body.push_back(static_cast<ValueId>(kernel.instructions.size()));
  kernel.instructions.push_back(std::move(one));
  return kernel.stages.back().body.back();
}

SINTER_INLINE std::size_t contracted_size(const Kernel& kernel, const Stage& stage) {
  std::size_t result = 0;
  for (std::size_t i = 0; i < stage.body.size() && !stage.contracted.empty(); ++i) {
    if (kernel.instructions[stage.body[i]].code == Code::reduce) result = i + 1;
  }
  return result;
}

SINTER_INLINE bool is_row_tiled(const Kernel& kernel) {
  return any_of(kernel.stages, [](const Stage& stage) { return !stage.contracted.empty(); });
}

SINTER_INLINE std::string to_string(const Kernel& kernel) {
  std::string result = kernel.name + "(";
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    result += text(i == 0 ? "" : ", ", detail::to_string(kernel.arguments[i], i));
  }
  result += kernel.symbols.empty() ? ")" : text(", sizes ", kernel.symbols, ")");
  const bool grid_vector = kernel.vector_axis == VectorAxis::grid;
  const bool stage_vector = kernel.vector_axis == VectorAxis::stage;
  if (!kernel.grid.empty()) {
    result += text("\n  grid ", detail::to_string(kernel.grid, grid_vector));
  }
  if (kernel.custom != nullptr) result += text("\n  custom ", kernel.custom->name);
  if (kernel.batch_capacity != 0) result += text(" batch ", kernel.batch_capacity);
  result += kernel.serial ? " serial\n" : "\n";
  for (const Stage& stage : kernel.stages) {
    const bool loop = !stage.loops.empty();
    if (loop) result += text("  loop ", detail::to_string(stage.loops, stage_vector), "\n");
    const bool contracts = !stage.contracted.empty();
    if (contracts) {
      result += text("    contract ", detail::to_string(stage.contracted, false), "\n");
    }
    std::size_t inside = contracted_size(kernel, stage);
    for (const ValueId id : stage.body) {
      const bool contracted = contracts && inside > 0;
      inside -= contracted ? 1 : 0;
      result +=
          text(loop ? "    " : "  ", contracted ? "  " : "", detail::line_of(kernel, id), "\n");
    }
  }
  for (const Kernel& last : kernel.finalizers) result += "finalizer " + to_string(last);
  return result;
}

namespace detail {

struct KernelCheck {
  const Kernel& kernel;
  Vector<bool> known{};              // for each value: whether the current stage can use it
  std::vector<Extent> variables_{};  // the variables that the current stage can use
  Vector<bool> used{};               // for each argument: whether an instruction uses it

  void require(bool condition, std::string_view what) const {
    if (!condition) throw InternalError(text("kernel ", what, "\n", kernel));
  }

  void check_extent(Extent extent) const {
    for (const Extent variable : variables(extent)) {
      const auto& list = variable.is_symbol() ? kernel.symbols : variables_;
      const bool found =
          find_if(list, [&](Extent one) { return same(one, variable); }) != list.end();
      require(found, text("uses ", variable, " where it is not known"));
    }
  }

  void check_loops(const Vector<Loop>& loops) {
    for (const Loop& loop : loops) {
      check_extent(loop.extent);
      require(loop.variable.is_range() && same(loop.variable.range_extent(), loop.extent),
              "has a loop whose variable is no range over its extent");
      require(loop.unroll >= 1, "has a loop with an unroll factor below 1");
      variables_.push_back(loop.variable);
    }
  }

  void check_argument(const Instruction& instruction) {
    const auto argument = static_cast<std::size_t>(instruction.argument);
    require(argument < kernel.arguments.size(), "accesses an argument that it does not have");
    const Access access = kernel.arguments[argument].access;
    const bool store = instruction.code == Code::store || instruction.code == Code::sort ||
                       instruction.code == Code::combine;
    const Access other = store ? Access::read : Access::write;
    require(access != other, "accesses an argument against its declaration");
    require(kernel.arguments[argument].dtype == instruction.dtype, "accesses another dtype");
    if (instruction.code == Code::combine) {
      const Extent results = instruction.bound * kernel.grid.at(0).extent;
      require(same(results, kernel.arguments[argument].elements),
              "combines a number of results that is not the size of the argument");
    }
    used[argument] = true;
  }

  void check_source(const Instruction& instruction) {
    const auto source = static_cast<std::size_t>(instruction.source);
    require(source < kernel.arguments.size(), "sorts an argument that it does not have");
    require(kernel.arguments[source].access == Access::read, "sorts an argument that is not read");
    used[source] = true;
  }

  void check_instruction(ValueId id) {
    require(static_cast<std::size_t>(id) < kernel.instructions.size(),
            "lists an instruction that does not exist");
    const Instruction& instruction = kernel.instructions[id];
    for (const ValueId operand : instruction.operands) {
      require(operand < id && known[operand], text("uses v", operand, " where it is not known"));
    }
    const bool sorts = instruction.code == Code::sort;
    if (sorts) variables_.push_back(instruction.variable);
    check_extent(instruction.index);
    check_extent(instruction.bound);
    for (const Guard& guard : instruction.guards) {
      check_extent(guard.value);
      check_extent(guard.low);
      check_extent(guard.high);
    }
    const bool accesses = sorts || instruction.code == Code::load ||
                          instruction.code == Code::store || instruction.code == Code::combine;
    if (accesses) check_argument(instruction);
    if (sorts) check_source(instruction);
    if (instruction.code == Code::bind) variables_.push_back(instruction.variable);
    known[id] = true;
  }

  // Removes what only the stage can use.
  void leave(const Stage& stage, std::size_t outer) {
    if (stage.loops.empty() && stage.contracted.empty()) return;
    variables_.resize(outer);
    for (const ValueId id : stage.body) {
      const Code code = kernel.instructions[id].code;
      known[id] = code == Code::reduce && stage.contracted.empty();
    }
  }

  // Removes what only the contracted loops of the stage can use.
  void leave_contracted(const Stage& stage, std::size_t inside, std::size_t outer) {
    variables_.resize(outer);
    for (std::size_t i = 0; i < inside; ++i) {
      const auto id = static_cast<std::size_t>(stage.body[i]);
      known[id] = kernel.instructions[id].code == Code::reduce;
    }
  }

  void check_stages() {
    ValueId next = 0;
    for (const Stage& stage : kernel.stages) {
      const std::size_t outer = variables_.size();
      check_loops(stage.loops);
      const std::size_t with_loops = variables_.size(), inside = contracted_size(kernel, stage);
      check_loops(stage.contracted);
      require(stage.contracted.empty() || inside > 0, "has contracted loops without a reduce");
      for (std::size_t i = 0; i < stage.body.size(); ++i) {
        const ValueId id = stage.body[i];
        if (i == inside && inside > 0) leave_contracted(stage, inside, with_loops);
        require(id == next++, "has instructions that are not in the order of its stages");
        check_instruction(id);
        const Code code = kernel.instructions[id].code;
        const bool loops = code == Code::reduce || code == Code::scan;
        require(!loops || !stage.loops.empty() || !stage.contracted.empty(),
                "reduces without a loop");
      }
      leave(stage, outer);
    }
    require(static_cast<std::size_t>(next) == kernel.instructions.size(),
            "has instructions that no stage runs");
  }
};

}  // namespace detail

SINTER_INLINE void verify(const Kernel& kernel) {
  if (kernel.custom != nullptr) return;
  detail::KernelCheck check{kernel};
  check.known.assign(kernel.instructions.size(), false);
  check.used.assign(kernel.arguments.size(), false);
  for (const Argument& argument : kernel.arguments) check.check_extent(argument.elements);
  check.check_loops(kernel.grid);
  check.check_stages();
  for (const bool used : check.used) check.require(used, "has an argument that it does not use");
  for (const Kernel& last : kernel.finalizers) {
    verify(last);
    check.require(last.finalizers.empty(), "has a finalizer with finalizers of its own");
    for (const Instruction& one : last.instructions) {
      check.require(!can_fault(one), "has a finalizer that can be at fault");
    }
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
