#pragma once

// What must hold of a kernel.

#include <algorithm>  // std::find
#include <vector>     // std::vector

#include <sinter/base/error.hpp>
#include <sinter/schedule/kernel.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

struct KernelCheck {
  const Kernel& kernel;
  std::vector<bool> known{};         // which values the present stage can use
  std::vector<Extent> variables_{};  // which variables it can use
  std::vector<bool> used{};          // which arguments are

  void require(bool condition, std::string_view what) const {
    if (!condition) throw InternalError(text("kernel ", what, "\n", kernel));
  }

  void check_extent(Extent extent) const {
    for (const Extent variable : variables(extent)) {
      const auto& list = variable.is_symbol() ? kernel.symbols : variables_;
      const bool found = std::find_if(list.begin(), list.end(), [&](Extent one) {
                           return same(one, variable);
                         }) != list.end();
      require(found, text("uses ", variable, " where it is not known"));
    }
  }

  void check_loops(const std::vector<Loop>& loops) {
    for (const Loop& loop : loops) {
      check_extent(loop.extent);
      require(loop.variable.is_range() && same(loop.variable.range_extent(), loop.extent),
              "has a loop whose variable is no range over its extent");
      require(loop.unroll >= 1, "has a loop that is unrolled less than once");
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
              "combines other chunks than it stores");
    }
    used[argument] = true;
  }

  void check_source(const Instruction& instruction) {
    const auto source = static_cast<std::size_t>(instruction.source);
    require(source < kernel.arguments.size(), "sorts an argument that it does not have");
    require(kernel.arguments[source].access == Access::read, "sorts what it may not read");
    used[source] = true;
  }

  void check_instruction(ValueId id) {
    require(static_cast<std::size_t>(id) < kernel.instructions.size(), "lists no instruction");
    const Instruction& instruction = kernel.instructions[static_cast<std::size_t>(id)];
    for (const ValueId operand : instruction.operands) {
      require(operand < id && known[static_cast<std::size_t>(operand)],
              text("uses v", operand, " where it is not known"));
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
    known[static_cast<std::size_t>(id)] = true;
  }

  // Forgets what only the stage can use.
  void leave(const Stage& stage, std::size_t outer) {
    if (stage.loops.empty() && stage.contracted.empty()) return;
    variables_.resize(outer);
    for (const ValueId id : stage.body) {
      const Code code = kernel.instructions[static_cast<std::size_t>(id)].code;
      known[static_cast<std::size_t>(id)] = code == Code::reduce && stage.contracted.empty();
    }
  }

  // Forgets what only the contracted loops of the stage can use.
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
      require(stage.contracted.empty() || inside > 0, "contracts nothing");
      for (std::size_t i = 0; i < stage.body.size(); ++i) {
        const ValueId id = stage.body[i];
        if (i == inside && inside > 0) leave_contracted(stage, inside, with_loops);
        require(id == next++, "has its instructions in another order than its stages");
        check_instruction(id);
        const Code code = kernel.instructions[static_cast<std::size_t>(id)].code;
        const bool loops = code == Code::reduce || code == Code::running;
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
  detail::KernelCheck check{kernel};
  check.known.assign(kernel.instructions.size(), false);
  check.used.assign(kernel.arguments.size(), false);
  for (const Argument& argument : kernel.arguments) check.check_extent(argument.elements);
  check.check_loops(kernel.grid);
  check.check_stages();
  for (const bool used : check.used) check.require(used, "has an argument that it does not use");
  for (const Kernel& last : kernel.finish) {
    verify(last);
    check.require(last.finish.empty(), "has a kernel in its finish that has a finish itself");
    for (const Instruction& one : last.instructions) {
      check.require(!can_fault(one), "has a finish that can be at fault");
    }
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
