#pragma once

#include <array>  // std::array

#include <sinter/codegen/values.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE Values::Values(const Kernel& kernel, int lanes, bool strict)
    : Names(kernel, lanes),
      strict_(strict),
      splats_(kernel.instructions.size()),
      reciprocals_(kernel.instructions.size()),
      unread_(kernel.instructions.size()) {
  if (lanes_ == 1) return;
  find_reciprocals();
  find_splats();
  find_unread_positions();
}

SINTER_INLINE void Values::find_splats() {
  for (const schedule::Stage& stage : layout_.kernel.stages) {
    for (const ValueId id : stage.body) {
      const bool vectors = at(id).code == Code::reduce
                               ? layout_.vector_loop(dependence(id).stage) >= 0
                               : varying(id) && at(id).code != Code::random;
      if (!vectors || compares_positions(id)) continue;
      for (const ValueId operand : at(id).operands) {
        if (is_product(id) && operand == at(id).operands[1]) continue;
        if (!varying(operand)) splats_[static_cast<std::size_t>(operand)] = true;
      }
    }
  }
}

SINTER_INLINE void Values::write_depth(int depth, int stage) {
  const int first = stage < 0 ? 0 : stage;
  const int last = stage < 0 ? static_cast<int>(layout_.stages.size()) - 1 : stage;
  for (int s = first; s <= last; ++s) {
    for (const ValueId id : layout_.kernel.stages[static_cast<std::size_t>(s)].body) {
      if (at(id).code != Code::reduce && dependence(id).depth == depth) write(id);
    }
    write_bases(depth, s);
  }
}

SINTER_INLINE void Values::write(ValueId id) {
  if (at(id).code == Code::constant && !splatted(id)) return;
  if (unread_[static_cast<std::size_t>(id)]) return;
  for_each_instance(dependence(id).loops, [&](const Instance& instance) {
    write_one(id, instance);
    write_reciprocal(id, instance);
  });
}

SINTER_INLINE void Values::write_one(ValueId id, const Instance& instance) {
  switch (at(id).code) {
    case Code::load:
      return write_load(id, instance);
    case Code::store:
      return write_store(id, instance);
    case Code::constant:
      return out_.line(text("const ", type_name(vector_of(at(id).dtype)), " s", id, " = ",
                            splat(literal(at(id).constant), at(id).dtype), ";"),
                       at(id).remark);
    case Code::index:
      return write_index(id, instance);
    case Code::inside:
      return write_inside(id, instance);
    case Code::random:
      return write_random(id, instance);
    case Code::bind:
      return write_bind(id, instance);
    case Code::divisor:
      return write_divisor(id, instance);
    case Code::running:
      return write_running(id, instance);
    case Code::combine:
      return write_combine(id, instance);
    case Code::sort:
      return write_sort(id, instance);
    case Code::compute:
    case Code::reduce:
      break;
  }
  write_compute(id, instance);
}

SINTER_INLINE void Values::declare(ValueId id, const Instance& instance, const std::string& value) {
  out_.line(text("const ", type_name(type_of(id)), " ", name(id, instance), " = ", value, ";"),
            at(id).remark);
  if (!splatted(id)) return;
  out_.line(text("const ", type_name(vector_of(at(id).dtype)), " s", id,
                 instance_name(dependence(id).loops, instance), " = ",
                 splat(name(id, instance), at(id).dtype), ";"));
}

SINTER_INLINE std::string Values::splat(const std::string& number, DType dtype) const {
  const bool truth = dtype == boolean;
  return text("splat_", suffix(vector_of(dtype)), truth ? "(-(long)" : "(", number, ")");
}

SINTER_INLINE std::string Values::operand(ValueId id, const Instance& instance, bool vector) const {
  if (vector && !varying(id)) return text("s", id, instance_name(dependence(id).loops, instance));
  return at(id).code == Code::constant ? literal(at(id).constant) : name(id, instance);
}

SINTER_INLINE std::string Values::rounded(const std::string& value, DType dtype,
                                          bool vector) const {
  return text("round_", dtype, vector ? text("x", lanes_) : "", "(", value, ")");
}

SINTER_INLINE std::string Values::live_lanes() const {
  return masked_ ? "lanes" : std::to_string(lanes_);
}

// What takes dozens of instructions is called, not written out, where a kernel has many of it.
SINTER_INLINE bool Values::is_long(Op op) const {
  return op == Op::exp || op == Op::expm1 || op == Op::log || op == Op::log1p || op == Op::sin ||
         op == Op::cos || op == Op::tan || op == Op::tanh || op == Op::atan || op == Op::erf;
}

SINTER_INLINE int Values::copies(LoopSet loops) const {
  int result = 1;
  for (std::size_t position = 0; position < frames_.size(); ++position) {
    if ((loops >> position & 1) != 0) result *= frames_[position].unroll;
  }
  return result;
}

SINTER_INLINE void Values::write_compute(ValueId id, const Instance& instance) {
  if (compares_positions(id)) return declare(id, instance, compared_positions(id, instance));
  const Instruction& instruction = at(id);
  const bool vector = varying(id);
  std::vector<std::string> operands;
  for (const ValueId one : instruction.operands) operands.push_back(operand(one, instance, vector));
  const DType from = at(instruction.operands.back()).dtype;
  std::string value = is_product(id)
                          ? product_text(id, instance)
                          : computed(instruction.op, operands, typed(from, vector), type_of(id));
  if (vector && is_long(instruction.op) && copies(dependence(id).loops) >= 4) {
    value = "call_" + value;
  }
  const bool half = instruction.dtype == f16 || instruction.dtype == bf16;
  // What other operations give in 16 bits stays as it is computed until it is stored, so what they
  // cast to 16 bits does too: of two forms of one number, the difference would be no number of it.
  const bool narrows =
      instruction.op == Op::cast && (instruction.constant.bits != 0 || !is_floating(from));
  if (half && (strict_ || narrows)) {
    value = rounded(value, instruction.dtype, vector);
  } else if (strict_ && instruction.op == Op::mul && is_floating(instruction.dtype)) {
    value = text("product_", suffix(type_of(id)), "(", value, ")");  // not contracted into an fma
  }
  declare(id, instance, value);
}

SINTER_INLINE std::string Values::positions(Extent extent, int stage,
                                            const Instance& instance) const {
  const Extent variable = layout_.vector_variable(stage);
  const auto step = coefficient_of(extent, variable);
  return text("range_i64x", lanes_, "(", c_index(extent, stage, instance), ", ",
              c_index(*step, stage, instance), ")");
}

SINTER_INLINE void Values::write_lanes(ValueId id, const Instance& instance,
                                       const std::string& value) {
  const std::string vector = name(id, instance);
  out_.line(text(type_name(type_of(id)), " ", vector, " = {};"), at(id).remark);
  const std::string sign = at(id).dtype == boolean ? "-(long)" : "";
  out_.line(text("for (long lane = 0; lane < ", live_lanes(), "; ++lane) ", vector,
                 "[lane] = ", sign, "(", value, ");"));
}

SINTER_INLINE void Values::write_index(ValueId id, const Instance& instance) {
  const int stage = dependence(id).stage;
  const Extent index = at(id).index;
  if (!varying(id)) {
    const std::string value = c_index(index, stage, instance);
    return declare(
        id, instance,
        at(id).dtype == i64 ? value : apply(Op::cast, std::array{value}, {i64}, type_of(id)));
  }
  if (!grows_evenly(index, stage)) {
    const std::string value = c_index(index, stage, instance, "lane");
    return write_lanes(id, instance, value);
  }
  const std::string value = positions(index, stage, instance);
  declare(id, instance, apply(Op::cast, std::array{value}, vector_of(i64), type_of(id)));
}

// Where its guards do not hold, a bind gives 0 and is never at fault.
SINTER_INLINE void Values::write_bind(ValueId id, const Instance& instance) {
  const ValueId index = at(id).operands[0];
  const bool lanes = varying(id);
  std::string position = operand(index, instance, false);
  if (lanes && varying(index)) position += "[lane]";
  position = apply(Op::cast, std::array{position}, {at(index).dtype}, {i64});
  const std::string_view lane = lanes ? "lane" : "";
  const std::string value = text("bind_i64(context, ", site(id, instance, lane), ", ", position,
                                 ", ", c_index(at(id).bound, dependence(id).stage, instance), ")");
  const std::string guard = condition(id, instance, lane);
  const std::string result = guard.empty() ? value : text(guard, " ? ", value, " : 0");
  if (lanes) return write_lanes(id, instance, result);
  declare(id, instance, result);
}

// What a report of the check `id` is called with, behind the context: which check it is, what was
// found, and where it stands, as far as that is known here.
SINTER_INLINE std::string Values::site(ValueId id, const Instance& instance,
                                       std::string_view lane) const {
  auto number = static_cast<std::size_t>(layout_.kernel.checks_before);
  if (at(id).source >= 0) {
    number += static_cast<std::size_t>(at(id).source);
  } else {
    for (const ValueId check : layout_.checks) number += check < id ? 1 : 0;
  }
  const Dependence& here = dependence(id);
  const Extent position = substitute(at(id).index, [&](Extent variable) {
    const bool known = (layout_.loops_of(variable, here.stage) & ~here.loops) == 0 &&
                       layout_.depth_of(variable, here.stage) <= here.depth;
    return known ? variable : Extent(0);
  });
  return text(number + 1, ", ", c_index(position, here.stage, instance, lane));
}

// A divisor that is never 0; where the guards hold, that is a fault.
SINTER_INLINE void Values::write_divisor(ValueId id, const Instance& instance) {
  const ValueId divisor = at(id).operands[0];
  const bool vector = varying(id);
  const std::string value = operand(divisor, instance, vector), type = suffix(type_of(id));
  declare(id, instance, text("nonzero_", type, "(", value, ")"));
  const std::string lane = vector ? "lane" : "";
  const std::string guard = condition(id, instance, lane);
  const std::string report =
      text("if (", operand(divisor, instance, false), vector && varying(divisor) ? "[lane]" : "",
           " == 0", guard.empty() ? "" : " && " + guard, ") report(context, ",
           site(id, instance, lane), ", 0, 0);");
  if (!vector) return out_.line(report);
  const auto block = out_.block(text("if (has_zero_", type, "(", value, "))"));
  out_.line(text("for (long lane = 0; lane < ", live_lanes(), "; ++lane) ", report));
}

SINTER_INLINE void Values::write_random(ValueId id, const Instance& instance) {
  const Instruction& instruction = at(id);
  const int stage = dependence(id).stage;
  std::string position = c_index(instruction.index, stage, instance);
  if (varying(id)) {
    if (!grows_evenly(instruction.index, stage)) {
      const std::string lane = c_index(instruction.index, stage, instance, "lane");
      return write_lanes(
          id, instance,
          text("random_i32(", operand(instruction.operands[0], instance, false), ", ",
               operand(instruction.operands[1], instance, false), ", ",
               static_cast<std::uint32_t>(instruction.constant.bits), "u, ", lane, ")"));
    }
    position = positions(instruction.index, stage, instance);
  }
  declare(id, instance,
          text("random_", suffix(typed(i32, varying(id))), "(",
               operand(instruction.operands[0], instance, false), ", ",
               operand(instruction.operands[1], instance, false), ", ",
               static_cast<std::uint32_t>(instruction.constant.bits), "u, ", position, ")"));
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
