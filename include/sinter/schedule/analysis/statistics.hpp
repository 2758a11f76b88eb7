#pragma once
// Statistics of one run of a kernel: work, bytes moved, operations.

#include <vector>  // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/lines.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/cost.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// The work of a sort per element.
inline constexpr std::int64_t steps_of_sort = 32;

inline Extent work_of(const Kernel& kernel) {
  Extent inner = 0;
  for (const Stage& stage : kernel.stages) {
    inner += count_of(stage.loops) * count_of(stage.contracted);
  }
  for (const Instruction& one : kernel.instructions) {
    if (one.code == Code::sort) inner += one.bound * steps_of_sort;
  }
  return count_of(kernel.grid) * inner;
}

inline std::int64_t operations_of(const Instruction& one) {
  const bool counts =
      one.code == Code::compute || one.code == Code::reduce || one.code == Code::scan;
  if (!counts || !is_floating(one.dtype) || one.op == Op::cast || one.op == Op::select) return 0;
  return schedule::operations_of(one.op);
}

inline std::int64_t steps_of(const Instruction& one) {
  if (one.code == Code::constant || one.code == Code::index) return 0;
  return one.code == Code::random ? operations_of_function : schedule::operations_of(one.op);
}

// The sum of each(instruction), times the number of runs of the instruction.
template <class Each>
Extent sum_over(const Kernel& kernel, const Each& each) {
  Extent result = 0;
  for (const Stage& stage : kernel.stages) {
    std::int64_t after = 0, contracted = 0;
    const std::size_t inside = contracted_size(kernel, stage);
    for (std::size_t i = 0; i < stage.body.size(); ++i) {
      (i < inside ? contracted : after) += each(kernel.instructions[stage.body[i]]);
    }
    result +=
        count_of(stage.loops) * (Extent(after) + Extent(contracted) * count_of(stage.contracted));
  }
  return count_of(kernel.grid) * result;
}

}  // namespace detail

/// Floating-point operations of one run of `kernel`; a multiply-add counts as two.
inline Extent operations_of(const Kernel& kernel) {
  return detail::sum_over(kernel,
                          [](const Instruction& one) { return detail::operations_of(one); });
}

/// The approximate cost of one run of `kernel`, in instructions: see cost.hpp.
inline Extent steps_of(const Kernel& kernel) {
  return detail::sum_over(kernel, [](const Instruction& one) { return detail::steps_of(one); });
}

namespace detail {

// The number of elements that an access in `stage` can touch: one for each step of the loops that
// its index depends on. The variable of a bind is assumed to depend on all loops.
inline Extent touched(const Kernel& kernel, const Stage& stage, Extent index) {
  Vector<Loop> loops = kernel.grid;
  loops.insert(loops.end(), stage.loops.begin(), stage.loops.end());
  loops.insert(loops.end(), stage.contracted.begin(), stage.contracted.end());
  bool bound = false;
  for (const Extent variable : variables(index)) {
    bound |= variable.is_range() &&
             none_of(loops, [&](const Loop& loop) { return same(loop.variable, variable); });
  }
  Extent result = 1;
  for (const Loop& loop : loops) {
    if (bound || depends_on(index, loop.variable)) result *= loop.extent;
  }
  return result;
}

inline Extent at_most(Extent count, Extent elements) {
  if (proven_less_equal(count, elements)) return count;
  return proven_less_equal(elements, count) ? elements : min(count, elements);
}

struct Traffic {
  const Kernel& kernel;
  Vector<SmallVector<Extent, 2>> indices{};  // for each argument: the indices counted so far
  std::vector<Extent> elements{};

  void add(const Stage& stage, const Instruction& instruction, std::size_t argument) {
    auto& known = indices[argument];
    const bool repeated =
        any_of(known, [&](Extent index) { return same(index, instruction.index); });
    if (repeated) return;
    known.push_back(instruction.index);
    const Extent all = kernel.arguments[argument].elements;
    const bool sorts = instruction.code == Code::sort;
    elements[argument] = at_most(
        elements[argument] + (sorts ? all : touched(kernel, stage, instruction.index)), all);
  }

  // `argument_of` returns -1 for instructions that do not count.
  Extent bytes(std::int32_t (*argument_of)(const Instruction&)) {
    indices.assign(kernel.arguments.size(), {});
    elements.assign(kernel.arguments.size(), 0);
    for (const Stage& stage : kernel.stages) {
      for (const ValueId id : stage.body) {
        const Instruction& instruction = kernel.instructions[id];
        const std::int32_t argument = argument_of(instruction);
        if (argument >= 0) add(stage, instruction, static_cast<std::size_t>(argument));
      }
    }
    Extent result = 0;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Argument& argument = kernel.arguments[i];
      if (argument.access == Access::local) continue;
      result += elements[i] * Extent(info(argument.dtype).size);
    }
    return result;
  }
};

inline std::int32_t read_argument(const Instruction& instruction) {
  if (instruction.code == Code::sort) return instruction.source;
  const bool reads = instruction.code == Code::load || instruction.accumulate;
  return reads ? instruction.argument : -1;
}

inline std::int32_t written_argument(const Instruction& instruction) {
  const bool writes = instruction.code == Code::store || instruction.code == Code::sort ||
                      instruction.code == Code::combine;
  return writes ? instruction.argument : -1;
}

}  // namespace detail

/// Approximately `extent`, where a symbol counts as a size that is neither small nor large.
inline std::int64_t typical(Extent extent) {
  constexpr std::int64_t typical_size = 128;
  const Extent number = substitute(extent, [](Extent) { return Extent(typical_size); });
  return number.is_number() ? number.number() : 0;
}

/// Fills in work, operations, bytes, lines and checks of a launch of `kernel`, in terms of the
/// symbols of the graph.
inline void measure(const Kernel& kernel, Launch& launch) {
  detail::Traffic traffic{kernel};
  launch.work = detail::work_of(kernel);
  launch.operations = operations_of(kernel);
  launch.bytes_read = traffic.bytes(detail::read_argument);
  launch.bytes_written = traffic.bytes(detail::written_argument);
  for (const Instruction& instruction : kernel.instructions) {
    if (can_fault(instruction)) {
      launch.checks.push_back(
          {instruction.code, instruction.op, instruction.dtype, instruction.called});
    }
    add_line(launch.lines, instruction.where);
  }
}

/// Adds `more`, whose kernel takes `sizes`, to `launch`: everything except kernels and checks.
inline void add_run(Launch& launch, const Launch& more, const std::vector<Extent>& sizes) {
  launch.lowered.insert(launch.lowered.end(), more.lowered.begin(), more.lowered.end());
  launch.buffers.insert(launch.buffers.end(), more.buffers.begin(), more.buffers.end());
  launch.sizes.insert(launch.sizes.end(), sizes.begin(), sizes.end());
  launch.work += more.work;
  launch.bytes_read += more.bytes_read;
  launch.bytes_written += more.bytes_written;
  launch.operations += more.operations;
  add_lines(launch.lines, more.lines);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
