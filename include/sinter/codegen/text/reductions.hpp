#pragma once
// Writes the reductions of a stage: accumulators before its loops, updates inside, results after.

#include <string>  // std::string

#include <sinter/codegen/text/memory.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// True if `reduction` is rounded, so that its result depends on the order of the elements.
bool is_rounded(const Instruction& reduction);

class Reductions : private KernelPart {
 public:
  Reductions(KernelContext& context, Values& values, Memory& memory,
             InstructionWriter& instructions)
      : KernelPart(context), values_(values), memory_(memory), instructions_(instructions) {}

  /// How many accumulators a reduction of `stage` has, to hide the latency of additions.
  int accumulators_of(int stage) const;
  void write_accumulators(int stage);
  /// Writes the pinned instructions and the reductions of `stage` in order; the stores for which
  /// can_defer() holds come last.
  void write_innermost(int stage);
  void write_results(int stage);

  /// "a12_0_1": one of the accumulator_count() accumulators of an unrolled copy.
  std::string accumulator(ValueId id, const Instance& instance, int part) const;
  /// "at12_0_1": the position of the largest element so far.
  std::string position(ValueId id, const Instance& instance) const;
  ValueType accumulator_type(ValueId id) const;
  /// Write `id` as InstructionWriter asks; kernels for GPUs have other forms of some.
  void write_instruction(ValueId id, const Instance& instance);
  void write_update(ValueId id, const Instance& instance);
  void write_result(ValueId id, const Instance& instance);
  /// Writes a step of the scan `id`.
  void write_running(ValueId id, const Instance& instance);
  /// Initialises the results of a partial reduction to the neutral element.
  void write_neutral_results();
  /// How many accumulators the current stage has: accumulators_of(stage).
  int accumulator_count() const { return accumulator_count_; }
  void set_accumulator_count(int count) { accumulator_count_ = count; }

  /// The reduction that has the accumulator of `id`: itself; or, of a maximum, the reduction to its
  /// position, which finds the maximum as well.
  ValueId accumulated_in(ValueId id) const;

 private:
  /// True if no later instruction of `stage` may see what the store `id` writes.
  bool can_defer(ValueId id, int stage) const;
  /// True if `id` is 0 in the lanes that a mask excludes.
  bool is_zero_outside(ValueId id) const;
  /// True if `id` accumulates a vector: each lane has a partial result, or a result of its own.
  bool vector_accumulator(ValueId id) const;
  /// True if lanes have partial results of one reduction.
  bool across_lanes(ValueId id) const;
  /// All accumulators of `id`, combined in a fixed order.
  std::string combined(ValueId id, const Instance& instance) const;
  void write_combine(ValueId id, const Instance& instance);
  void write_argmax(ValueId id, const Instance& instance);
  bool in_order(ValueId id) const { return context_.strict && is_rounded(at(id)); }

  Values& values_;
  Memory& memory_;
  InstructionWriter& instructions_;
  int accumulator_count_ = 1;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/reductions.ipp>
#endif
