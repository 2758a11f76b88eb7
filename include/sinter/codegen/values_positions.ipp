#pragma once

// Positions of lanes: neighbours differ by 1, so a comparison with one number
// is one of lane numbers, as narrow as the mask that it gives.

#include <array>  // std::array

#include <sinter/codegen/values.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

/// How to write a comparison of lane positions: a helper, and whether it gives
/// the contrary.
struct PositionForm {
  Op op, swapped;  ///< `swapped` if the position is on the right.
  std::string_view helper;
  bool contrary;
};

inline constexpr std::array position_forms{
    PositionForm{Op::eq, Op::eq, "lane_equal_", false},
    PositionForm{Op::ne, Op::ne, "lane_equal_", true},
    PositionForm{Op::lt, Op::gt, "lane_below_", false},
    PositionForm{Op::ge, Op::le, "lane_below_", true},
    PositionForm{Op::le, Op::ge, "lane_up_to_", false},
    PositionForm{Op::gt, Op::lt, "lane_up_to_", true},
};

SINTER_INLINE const PositionForm* position_form(Op op, bool swapped) {
  for (const PositionForm& form : position_forms) {
    if ((swapped ? form.swapped : form.op) == op) return &form;
  }
  return nullptr;
}

}  // namespace detail

SINTER_INLINE bool Values::counts_lanes(ValueId id) const {
  if (at(id).code != Code::index || at(id).dtype != i64 || !varying(id)) return false;
  return grows_by(1, at(id).index, dependence(id).stage);
}

SINTER_INLINE bool Values::compares_positions(ValueId id) const {
  const Instruction& one = at(id);
  if (one.code != Code::compute || one.operands.size() != 2 || !varying(id)) return false;
  if (detail::position_form(one.op, false) == nullptr) return false;
  const ValueId lhs = one.operands[0], rhs = one.operands[1];
  return (counts_lanes(lhs) && !varying(rhs)) || (counts_lanes(rhs) && !varying(lhs));
}

SINTER_INLINE void Values::find_unread_positions() {
  std::vector<bool> read(layout_.kernel.instructions.size());
  for (const schedule::Stage& stage : layout_.kernel.stages) {
    for (const ValueId id : stage.body) {
      if (compares_positions(id)) continue;
      for (const ValueId operand : at(id).operands) read[static_cast<std::size_t>(operand)] = true;
    }
  }
  for (const schedule::Stage& stage : layout_.kernel.stages) {
    for (const ValueId id : stage.body) {
      unread_[static_cast<std::size_t>(id)] =
          !read[static_cast<std::size_t>(id)] && counts_lanes(id);
    }
  }
}

SINTER_INLINE std::string Values::compared_positions(ValueId id, const Instance& instance) const {
  const ValueId lhs = at(id).operands[0], rhs = at(id).operands[1];
  const bool swapped = !counts_lanes(lhs);
  const ValueId position = swapped ? rhs : lhs, number = swapped ? lhs : rhs;
  const detail::PositionForm& form = *detail::position_form(at(id).op, swapped);
  return text(form.contrary ? "~" : "", form.helper, suffix(type_of(id)), "(",
              c_index(at(position).index, dependence(id).stage, instance), ", ",
              operand(number, instance, false), ")");
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
