#pragma once
// Streaming (online softmax) form of row-tiled kernels: iterates over tiles of the row axis, such
// as the keys of attention, keeps running row reductions, and rescales them when the running
// maximum changes.

#include <cstdint>  // std::int32_t, std::uint32_t

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A score for each row and step: the sum over `depth` of `left`, which depends on the row, times
/// `right`, which depends on the step.
struct StreamingDot {
  ValueId left = -1, right = -1;
  Vector<Loop> depth{};
  ValueId result = -1;
};

/// A reduction over the steps of a row, computed in one pass. A sum may have one factor exp(x -
/// rescale_base), where `rescale_base` is a row scalar that depends on the running maximum
/// `running_max` of the same pass. The running sum is rescaled whenever the base changes.
struct RunningReduction {
  Op op{};
  ValueId value = -1;
  ValueId result = -1;
  int pass = 0;
  std::int32_t running_max = -1;  ///< Position in StreamingForm::reductions; -1: never rescaled.
  ValueId rescale_base = -1;
};

/// An accumulator for each row and column: the sum over the steps of `value`, which depends on row
/// and step, times `right`, which depends on step and column.
struct StreamingAccumulator {
  ValueId value = -1, right = -1;
  Vector<Loop> columns{};
  ValueId result = -1;
  int pass = 0;
  std::int32_t running_max = -1;
  ValueId rescale_base = -1;
  Vector<ValueId> stores{};  ///< Stores of its epilogue.
};

/// What a value depends on: loops, where `inner` stands for columns and depths, and running
/// reductions and accumulators, as bit masks.
struct StreamingFacts {
  bool row = false, step = false, inner = false;
  std::uint32_t reductions = 0, accumulators = 0;
};

/// A row-tiled kernel without local rows. `code` computes all values from the arguments: its grid
/// and arguments are those of the kernel, and its one stage lists all instructions, each after its
/// operands and binds. Results of dots, reductions and accumulators are reduce instructions in it.
/// The `source` of a check is its position among the checks of the kernel.
struct StreamingForm {
  Kernel code{};
  Vector<StreamingFacts> facts{};  ///< Of each instruction of `code`.
  Vector<Loop> batch{};            ///< Outer loops of the grid with more than one iteration.
  Loop row{}, step{};
  Vector<StreamingDot> dots{};
  Vector<RunningReduction> reductions{};
  Vector<StreamingAccumulator> accumulators{};
  DType dtype{};  ///< Of operands and results of all dots and accumulators, and of all reductions.
  Vector<ValueId> stores{};  ///< Of row scalars.
  int passes = 0;
  /// Steps from `end` on, or before it, have no effect. In terms of the grid, evaluated for the
  /// last row of a tile, or the first; -1 if all steps have an effect.
  Extent end = -1;
  bool before = false;
  /// Checks that have to run for the steps without effect too, and checks of rows.
  Vector<ValueId> checks{};
};

/// Calls visit(variable) for each variable in the index and the guards of `one`.
template <class Visit>
void for_each_variable(const Instruction& one, const Visit& visit) {
  for (const Extent variable : variables(one.index)) visit(variable);
  for (const Guard& guard : one.guards) {
    for (const Extent extent : {guard.value, guard.low, guard.high}) {
      for (const Extent variable : variables(extent)) visit(variable);
    }
  }
}

/// The bind of `code` that defines `variable`; -1 if there is none, as for loop variables.
ValueId bind_of(const Kernel& code, Extent variable);

/// The streaming form of `kernel`, if it is a row-tiled kernel that can be streamed within
/// `limits`.
Optional<StreamingForm> streaming_form(const Kernel& kernel, const StreamingLimits& limits = {});

/// Sets StreamingForm::dtype, the type in which the kernel multiplies and accumulates. False if
/// dots, accumulators and reductions do not share one type, or if that is neither f32 nor f64.
bool set_common_dtype(StreamingForm& form);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/streaming_form.ipp>
#endif
