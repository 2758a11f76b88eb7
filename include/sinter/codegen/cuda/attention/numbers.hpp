#pragma once
// Which numbers of a streamed kernel belong to a row, and what each pass over the steps takes.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t
#include <vector>   // std::vector

#include <sinter/codegen/cuda/attention/form.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class StreamNumbers {
 public:
  explicit StreamNumbers(const StreamForm& form);

  /// A number of the row that is not computed again for each step.
  bool is_row_number(ValueId id) const;
  bool is_total(ValueId id) const;
  /// What is known to what is computed for a step or a column: numbers of the row, dots, sums.
  std::vector<bool> known_numbers() const;
  /// The numbers of the row that `root` takes.
  std::vector<ValueId> row_numbers_of(ValueId root) const;
  /// What is summed or reduced in a pass.
  std::vector<ValueId> roots_of(int pass) const;
  /// The dots that a pass takes.
  std::vector<std::size_t> dots_of(int pass) const;
  /// What is subtracted before exp in a pass; with `peak` not -1, that of this maximum alone.
  std::vector<ValueId> shifts_of(int pass, std::int32_t peak) const;
  /// True if others are rescaled when this running reduction changes.
  bool is_peak(std::size_t total) const;

 private:
  const Instruction& at(ValueId id) const;

  const StreamForm& form_;
  std::vector<bool> heavy_{};  ///< Of each number whether it takes a load or a total.
};

namespace detail {

/// Marks what `id` is computed from, up to what is known.
void mark_needed(const Kernel& code, ValueId id, const std::vector<bool>& known,
                 std::vector<bool>& needed);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/attention/numbers.ipp>
#endif
