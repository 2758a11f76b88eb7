#pragma once
// Block kernels whose rows need not be kept: the local axis, as the keys of attention, is gone
// along tile by tile, totals of a row run, and what they were so far is scaled where they change.

#include <cstdint>   // std::int32_t, std::uint32_t
#include <optional>  // std::optional
#include <vector>    // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A number for each row and step: the sum along `depth` of `left`, which depends on the row, times
/// `right`, which depends on the step.
struct StreamDot {
  ValueId left = -1, right = -1;
  std::vector<Loop> depth{};
  ValueId result = -1;
};

/// What the steps of a row are reduced to in one pass over them. What is added up may contain one
/// exp(x - shift), as a factor, whose `shift` is a number of the row that depends on the total
/// `peak` of the same pass: what was added up so far is scaled whenever the shift changes.
struct StreamTotal {
  Op op{};
  ValueId value = -1;
  ValueId result = -1;
  int pass = 0;
  std::int32_t peak = -1;  ///< A position among the totals; -1: nothing is scaled.
  ValueId shift = -1;
};

/// A number for each row and column: the sum over the steps of `value`, of the row and the step,
/// times `right`, of the step and the column.
struct StreamSum {
  ValueId value = -1, right = -1;
  std::vector<Loop> columns{};
  ValueId result = -1;
  int pass = 0;
  std::int32_t peak = -1;
  ValueId shift = -1;
  std::vector<ValueId> stores{};  ///< What becomes of it.
};

/// What a number depends on: loops, where inner ones are those of columns and depths, and which
/// totals and sums, as bits.
struct StreamFacts {
  bool row = false, step = false, inner = false;
  std::uint32_t totals = 0, sums = 0;
};

/// A block kernel without its local rows. `code` computes everything from arguments: the grid and
/// the arguments are those of the kernel; its one stage lists all instructions, in an order in
/// which each follows its operands and binds. Results of dots, totals and sums are reduce
/// instructions there; the `source` of a check is its position among those of the kernel.
struct StreamForm {
  Kernel code{};
  std::vector<StreamFacts> facts{};  ///< Of each instruction of `code`.
  std::vector<Loop> batch{};  ///< The outer loops of the grid, without those of one iteration.
  Loop row{}, step{};
  std::vector<StreamDot> dots{};
  std::vector<StreamTotal> totals{};
  std::vector<StreamSum> sums{};
  std::vector<ValueId> stores{};  ///< Of numbers of a row.
  int passes = 0;
  /// Steps from `end` on, or before it, have no effect: in terms of the grid, with the last row of
  /// a block as its row, or the first; -1 if all have.
  Extent end = -1;
  bool before = false;
  /// The checks of such steps, which can be at fault all the same, and their rows.
  std::vector<ValueId> checks{};
};

/// Calls visit(variable) with the variables of the index and the guards of `one`.
template <class Visit>
void for_each_variable(const Instruction& one, const Visit& visit) {
  for (const Extent variable : variables(one.index)) visit(variable);
  for (const Guard& guard : one.guards) {
    for (const Extent extent : {guard.value, guard.low, guard.high}) {
      for (const Extent variable : variables(extent)) visit(variable);
    }
  }
}

/// The bind of `code` that says what `variable` is; -1 if there is none, as for that of a loop.
ValueId bind_of(const Kernel& code, Extent variable);

/// The form of `kernel` if it is a block whose rows can be streamed.
std::optional<StreamForm> stream_form(const Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/streaming.ipp>
#endif
