#pragma once

#include <algorithm>  // std::any_of
#include <utility>    // std::move

#include <sinter/base/error.hpp>
#include <sinter/schedule/kernel.hpp>
#include <sinter/symbol/extent_hash.hpp>
#include <sinter/symbol/variables.hpp>

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

  void add_loops(const std::vector<Loop>& loops) {
    add(loops.size());
    for (const Loop& loop : loops) {
      add_extent(loop.extent);
      add_extent(loop.variable);
      add(loop.unroll);
    }
  }

  void add_instruction(const Instruction& instruction) {
    add(instruction.code);
    add(instruction.op);
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
    add(instruction.unread);
  }
};

SINTER_INLINE std::string to_string(const std::vector<Guard>& guards) {
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

// What comes after "v3: f32 = ".
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
    case Code::running:
      return text("running ", instruction.op, operands_of(instruction));
    default:
      break;
  }
  return text(instruction.op, operands_of(instruction));
}

SINTER_INLINE std::string line_of(const Kernel& kernel, ValueId id) {
  const Instruction& instruction = kernel.instructions[static_cast<std::size_t>(id)];
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

SINTER_INLINE std::string to_string(const std::vector<Loop>& loops, bool vectorised) {
  std::string result;
  for (const Loop& loop : loops) {
    const bool last = &loop == &loops.back();
    result += text(result.empty() ? "" : ", ", loop.variable, " < ", loop.extent,
                   loop.unroll == 1 ? "" : text(" unroll ", loop.unroll),
                   vectorised && last ? " vector" : "");
  }
  return result;
}

SINTER_INLINE std::string to_string(const Argument& argument, std::size_t position) {
  constexpr std::string_view names[]{"read", "write", "read_write", "local"};
  return text(names[static_cast<std::size_t>(argument.access)], " a", position, ": ",
              argument.dtype, "[", argument.elements, "]", argument.steady ? " steady" : "");
}


SINTER_INLINE Hash hash_of(const Kernel& kernel, const Numbering& numbering) {
  KernelHasher all{.numbering = numbering};
  for (const Kernel& last : kernel.finish) {
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
    if (argument.steady) all.hasher.add("steady");
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
  if (kernel.parts != 0) all.hasher.add("parts").add(static_cast<std::uint64_t>(kernel.parts));
  return all.hasher.result();
}

}  // namespace detail

SINTER_INLINE Hash hash_of(const Kernel& kernel) { return detail::hash_of(kernel, Numbering()); }

SINTER_INLINE Hash hash_with_symbols(const Kernel& kernel) {
  return detail::hash_of(kernel, Numbering::of_symbol_ids());
}

SINTER_INLINE std::size_t buffer_count(const Kernel& kernel) {
  std::size_t result = 0;
  for (const Argument& argument : kernel.arguments) result += argument.access != Access::local;
  return result;
}

SINTER_INLINE bool has(const Kernel& kernel, Code code) {
  return std::any_of(kernel.instructions.begin(), kernel.instructions.end(),
                     [code](const Instruction& one) { return one.code == code; });
}

SINTER_INLINE bool stores_first(const Kernel& kernel, std::int32_t argument) {
  for (const Instruction& one : kernel.instructions) {
    if (one.source == argument) return false;
    if (one.argument != argument) continue;
    return one.code != Code::load && !one.accumulate;
  }
  return false;
}

SINTER_INLINE std::vector<bool> used_arguments(const Kernel& kernel) {
  std::vector<bool> result(kernel.arguments.size(), false);
  for (const Instruction& one : kernel.instructions) {
    if (one.argument >= 0) result[static_cast<std::size_t>(one.argument)] = true;
    if (one.source >= 0) result[static_cast<std::size_t>(one.source)] = true;
  }
  return result;
}

SINTER_INLINE void keep_arguments(Kernel& kernel, const std::vector<bool>& kept) {
  std::vector<std::int32_t> moved(kept.size(), -1);
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    moved[i] = static_cast<std::int32_t>(arguments.size());
    arguments.push_back(kernel.arguments[i]);
  }
  kernel.arguments = std::move(arguments);
  for (Instruction& one : kernel.instructions) {
    if (one.argument >= 0) one.argument = moved[static_cast<std::size_t>(one.argument)];
    if (one.source >= 0) one.source = moved[static_cast<std::size_t>(one.source)];
  }
}

SINTER_INLINE std::size_t contracted_size(const Kernel& kernel, const Stage& stage) {
  std::size_t result = 0;
  for (std::size_t i = 0; i < stage.body.size() && !stage.contracted.empty(); ++i) {
    const auto id = static_cast<std::size_t>(stage.body[i]);
    if (kernel.instructions[id].code == Code::reduce) result = i + 1;
  }
  return result;
}

SINTER_INLINE bool is_block(const Kernel& kernel) {
  return std::any_of(kernel.stages.begin(), kernel.stages.end(),
                     [](const Stage& stage) { return !stage.contracted.empty(); });
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
  if (kernel.parts != 0) result += text(" parts ", kernel.parts);
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
  for (const Kernel& last : kernel.finish) result += "finish " + to_string(last);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#include <sinter/schedule/kernel_check.ipp>
