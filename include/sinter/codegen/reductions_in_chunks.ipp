#pragma once

// What points of the grid combine in memory: the results of a chunk, which a later kernel combines.

#include <array>  // std::array

#include <sinter/codegen/reductions.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE void Reductions::write_neutral_results() {
  for (const Instruction& one : layout_.kernel.instructions) {
    if (one.code != Code::combine) continue;
    const std::string first = c_index(layout_.grid[0].variable * one.bound, 0, {});
    out_.line(text("fill_", one.dtype, "(", argument_name(one.argument), " + ", first, ", ",
                   c_index(one.bound, 0, {}), ", ", literal(neutral(one.op, one.dtype)), ");"));
  }
}

// Whole vectors where lanes are neighbours; one result where all of them share it.
SINTER_INLINE void Reductions::write_combine(ValueId id, const Instance& instance) {
  const Instruction& one = at(id);
  const int stage = dependence(id).stage, loop = layout_.vector_loop(stage);
  const ValueId value = one.operands[0];
  const bool vector = lanes_ > 1 && loop >= 0;
  if (vector && contiguous(id)) {
    const ValueType type = vector_of(one.dtype);
    const std::string part = masked_ ? "_part_" : "_", lanes = masked_ ? "lanes, " : "";
    const std::string where = address(id, instance), name = suffix(type);
    const std::array operands{text("load", part, name, "(", lanes, where, ")"),
                              operand(value, instance, true)};
    return out_.line(text("store", part, name, "(", lanes, where, ", ",
                          apply(combining(one.op), operands, type, type), ");"),
                     one.remark);
  }
  const ValueType type{one.dtype};
  if (vector && !varying(one.index, stage)) {
    const ValueType lanes = vector_of(one.dtype);
    std::string all = operand(value, instance, true);
    const std::string none = splat(literal(neutral(one.op, one.dtype)), one.dtype);
    if (masked_) all = text("keep_", suffix(lanes), "(lanes, ", all, ", ", none, ")");
    const std::string where = element(id, instance);
    const std::array operands{where, text(one.op, "_lanes_", suffix(lanes), "(", all, ")")};
    return out_.line(text(where, " = ", apply(combining(one.op), operands, type, type), ";"),
                     one.remark);
  }
  const std::string where = element(id, instance, vector ? "lane" : "");
  const bool by_lane = vector && varying(value);
  const std::string number =
      by_lane ? text(name(value, instance), "[lane]") : operand(value, instance, false);
  const std::array operands{where, number};
  const std::string loop_head =
      vector ? text("for (long lane = 0; lane < ", live_lanes(), "; ++lane) ") : "";
  out_.line(text(loop_head, where, " = ", apply(combining(one.op), operands, type, type), ";"),
            one.remark);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
