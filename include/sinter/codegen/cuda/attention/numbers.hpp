#pragma once
// Which values of a streaming kernel are per row, and which products and reductions a pass needs.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/attention/form.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class StreamingNumbers {
 public:
  explicit StreamingNumbers(const StreamingForm& form);

  /// True if `id` is computed once per row, not once per step.
  bool is_row_number(ValueId id) const;
  bool is_running_reduction(ValueId id) const;
  /// Values that code for a step or column takes as inputs: per-row values, dots and sums.
  Vector<bool> known_numbers() const;
  /// The per-row values that `root` uses.
  Vector<ValueId> row_numbers_of(ValueId root) const;
  /// The values that a pass reduces or accumulates.
  Vector<ValueId> roots_of(int pass) const;
  /// The dots that a pass computes.
  Vector<std::size_t> dots_of(int pass) const;
  /// The values subtracted before exp in a pass; if `running_max` is not -1, of that maximum only.
  Vector<ValueId> rescale_bases_of(int pass, std::int32_t running_max) const;
  /// True if other accumulators are rescaled when this running reduction changes.
  bool is_running_max(std::size_t reduction) const;

 private:
  const Instruction& at(ValueId id) const { return form_.code.instructions[id]; }

  const StreamingForm& form_;
  Vector<bool> needs_memory_{};  ///< Per value: depends on a load, random bits or a reduction.
};

namespace detail {

/// Marks the values that `id` is computed from; stops at `known` values.
void mark_needed(const Kernel& code, ValueId id, const Vector<bool>& known, Vector<bool>& needed);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/attention/numbers.ipp>
#endif
