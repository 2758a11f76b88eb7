#pragma once
// Writes the reductions of a stage: accumulators before its loops, updates inside, results after.

#include <string>  // std::string

#include <sinter/codegen/text/memory.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class Reductions : public Memory {
 public:
  using Memory::Memory;

 protected:
  /// How many accumulators a reduction of `stage` keeps, to hide the latency of their sums.
  int accumulators_of(int stage) const;
  void write_accumulators(int stage);
  /// Writes the pinned instructions of `stage`, and its reductions, in order, but stores last.
  void write_innermost(int stage);
  bool may_wait(ValueId id, int stage) const;
  void write_results(int stage);

  /// True if `id` keeps a vector: each lane a part of the result, or a result of its own.
  bool vector_accumulator(ValueId id) const;
  /// "a12_0_1": that of the unrolled neighbour, one of `parts_`.
  std::string accumulator(ValueId id, const Instance& instance, int part) const;
  /// "at12_0_1": the position of the largest so far.
  std::string position(ValueId id, const Instance& instance) const;
  /// `accumulator` of all its parts, in a fixed order.
  std::string combined(ValueId id, const Instance& instance) const;
  ValueType accumulator_type(ValueId id) const;
  /// True if lanes are parts of one result.
  bool across_lanes(ValueId id) const;
  virtual void write_update(ValueId id, const Instance& instance);
  virtual void write_result(ValueId id, const Instance& instance);
  void write_running(ValueId id, const Instance& instance) override;
  void write_combine(ValueId id, const Instance& instance) override;
  /// Writes what the results of a chunk start with.
  void write_neutral_results();

  int parts_ = 1;  ///< Of the present stage: accumulators_of(stage).

 private:
  void write_argmax(ValueId id, const Instance& instance);
  bool in_order(ValueId id) const;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/reductions.ipp>
#endif
