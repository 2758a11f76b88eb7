#pragma once
// Which values of a streaming kernel are per row, and which products and reductions a pass needs.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/attention/form.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

/// Marks the values that `id` is computed from; stops at `known` values.
inline void mark_needed(const Kernel& code, ValueId id, const Vector<bool>& known,
                        Vector<bool>& needed) {
  if (needed[id]) return;
  needed[id] = true;
  const Instruction& one = code.instructions[id];
  if (known[id]) return;
  if (one.code == Code::store) {
    mark_needed(code, before_rounding(code, one), known, needed);
  } else {
    for (const ValueId operand : one.operands) mark_needed(code, operand, known, needed);
  }
  schedule::for_each_variable(one, [&](Extent variable) {
    const ValueId bind = schedule::bind_of(code, variable);
    if (bind >= 0) mark_needed(code, bind, known, needed);
  });
}

}  // namespace detail

class StreamingNumbers {
 public:
  explicit StreamingNumbers(const StreamingForm& form) : form_(form) {
    for (std::size_t id = 0; id < form_.code.instructions.size(); ++id) {
      const Instruction& one = form_.code.instructions[id];
      bool heavy = one.code == Code::load || one.code == Code::random || one.code == Code::reduce;
      for (const ValueId operand : one.operands) {
        heavy = heavy || needs_memory_[operand];
      }
      needs_memory_.push_back(heavy);
    }
  }

  /// True if `id` is computed once per row, not once per step.
  bool is_row_number(ValueId id) const {
    const schedule::StreamingFacts& depends = form_.facts[id];
    return !depends.step && !depends.inner && needs_memory_[id] && at(id).code != Code::store &&
           at(id).code != Code::bind;
  }

  bool is_running_reduction(ValueId id) const {
    for (const RunningReduction& reduction : form_.reductions) {
      if (reduction.result == id) return true;
    }
    return false;
  }

  /// Values that code for a step or column takes as inputs: per-row values, dots and sums.
  Vector<bool> known_numbers() const {
    Vector<bool> known(form_.code.instructions.size(), false);
    for (std::size_t id = 0; id < known.size(); ++id) {
      known[id] = is_row_number(static_cast<ValueId>(id)) ||
                  form_.code.instructions[id].code == Code::reduce;
    }
    return known;
  }

  /// The per-row values that `root` uses.
  Vector<ValueId> row_numbers_of(ValueId root) const {
    const Vector<bool> known = known_numbers();
    Vector<bool> needed(known.size(), false);
    detail::mark_needed(form_.code, root, known, needed);
    Vector<ValueId> result;
    for (std::size_t id = 0; id < needed.size(); ++id) {
      const bool found = needed[id] && is_row_number(static_cast<ValueId>(id));
      if (found) result.push_back(static_cast<ValueId>(id));
    }
    return result;
  }

  /// The values that a pass reduces or accumulates.
  Vector<ValueId> roots_of(int pass) const {
    Vector<ValueId> result;
    for (const RunningReduction& reduction : form_.reductions) {
      if (reduction.pass == pass) result.push_back(reduction.value);
    }
    for (const StreamingAccumulator& sum : form_.accumulators) {
      if (sum.pass == pass) result.push_back(sum.value);
    }
    return result;
  }

  /// The dots that a pass computes.
  Vector<std::size_t> dots_of(int pass) const {
    const Vector<bool> nothing = known_numbers();
    Vector<bool> needed(nothing.size(), false);
    for (const ValueId root : roots_of(pass)) {
      detail::mark_needed(form_.code, root, nothing, needed);
    }
    Vector<std::size_t> result;
    for (std::size_t i = 0; i < form_.dots.size(); ++i) {
      if (needed[form_.dots[i].result]) result.push_back(i);
    }
    return result;
  }

  /// The values subtracted before exp in a pass; if `running_max` is not -1, of that maximum only.
  Vector<ValueId> rescale_bases_of(int pass, std::int32_t running_max) const {
    Vector<ValueId> result;
    const auto add = [&](int its_pass, std::int32_t its_max, ValueId base) {
      if (its_pass != pass || its_max < 0 || (running_max >= 0 && its_max != running_max)) return;
      if (!contains(result, base)) result.push_back(base);
    };
    for (const RunningReduction& one : form_.reductions)
      add(one.pass, one.running_max, one.rescale_base);
    for (const StreamingAccumulator& one : form_.accumulators)
      add(one.pass, one.running_max, one.rescale_base);
    return result;
  }

  /// True if other accumulators are rescaled when this running reduction changes.
  bool is_running_max(std::size_t reduction) const {
    return !rescale_bases_of(form_.reductions[reduction].pass, static_cast<std::int32_t>(reduction))
                .empty();
  }

 private:
  const Instruction& at(ValueId id) const { return form_.code.instructions[id]; }

  const StreamingForm& form_;
  Vector<bool> needs_memory_{};  ///< Per value: depends on a load, random bits or a reduction.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
