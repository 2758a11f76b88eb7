#pragma once
// Writes the values of a kernel, each once, in the outermost loop where its operands are known.

#include <algorithm>    // std::max
#include <array>        // std::array
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/names.hpp>
#include <sinter/codegen/text/scalar.hpp>
#include <sinter/codegen/text/tuning.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Writes an elementwise operation in the language of the text: apply() or apply_in_cuda().
using Apply = std::string (*)(Op op, Span<const std::string> operands, const ValueType& from,
                              const ValueType& to);

/// A kernel whose text is being written.
struct KernelContext {
  Names names;
  Apply apply = nullptr;
  bool strict = false;  ///< Round after every operation, keep the order of sums.
  Tuning tuning{};
  schedule::Target target{};  ///< The machine that the text is for.
  Writer out{};
};

/// What the classes that write a part of such a kernel have in common.
class KernelPart {
 protected:
  explicit KernelPart(KernelContext& context) : context_(context) {}
  ~KernelPart() = default;

  const Instruction& at(ValueId id) const { return layout_.at(id); }
  const Dependence& dependence(ValueId id) const { return layout_.dependence(id); }
  const schedule::Argument& argument(const Instruction& one) const { return layout_.argument(one); }

  KernelContext& context_;
  Names& names_{context_.names};
  Layout& layout_{context_.names.layout};
  Writer& out_{context_.out};
};

/// Writes the instructions that access memory or reduce. Their form depends on the loops around
/// them, so the class that writes the whole function implements this interface.
class InstructionWriter {
 public:
  InstructionWriter() = default;
  InstructionWriter(const InstructionWriter&) = delete;
  InstructionWriter& operator=(const InstructionWriter&) = delete;

  /// Writes `id`, a load, store, sort, scan or combination, for one unrolled copy.
  virtual void write_instruction(ValueId id, const Instance& instance) = 0;
  /// Writes the pointer to the row that `id` accesses.
  virtual void write_base(ValueId id) = 0;
  /// Writes what the reduction `id` does in an iteration.
  virtual void write_update(ValueId id, const Instance& instance) = 0;
  /// Writes its result, after its loops.
  virtual void write_result(ValueId id, const Instance& instance) = 0;

 protected:
  ~InstructionWriter() = default;
};

namespace detail {

/// How to write a comparison of lane positions: a helper, and whether its result is negated.
struct PositionForm {
  Op op, swapped;  ///< `swapped` if the position is the right operand.
  std::string_view helper;
  bool negated;
};

inline constexpr std::array position_forms{
    PositionForm{Op::eq, Op::eq, "lane_equal_", false},
    PositionForm{Op::ne, Op::ne, "lane_equal_", true},
    PositionForm{Op::lt, Op::gt, "lane_below_", false},
    PositionForm{Op::ge, Op::le, "lane_below_", true},
    PositionForm{Op::le, Op::ge, "lane_up_to_", false},
    PositionForm{Op::gt, Op::lt, "lane_up_to_", true},
};

inline const PositionForm* position_form(Op op, bool swapped) {
  for (const PositionForm& form : position_forms) {
    if ((swapped ? form.swapped : form.op) == op) return &form;
  }
  return nullptr;
}

}  // namespace detail

/// True if `op` takes dozens of instructions on a vector. Such an operation is called, not inlined,
/// where a kernel has many copies of it.
inline bool is_expensive(Op op) { return info(op).work == Work::function; }

/// True if a loop of `stage` computes such an operation.
inline bool has_expensive_op(const Kernel& kernel, int stage) {
  for (const ValueId id : kernel.stages[stage].body) {
    const Instruction& one = kernel.instructions[id];
    if (one.code == Code::compute && is_expensive(one.op)) return true;
  }
  return false;
}

class Values : private KernelPart {
 public:
  Values(KernelContext& context, InstructionWriter& instructions)
      : KernelPart(context),
        instructions_(instructions),
        splats_(layout_.kernel.instructions.size()),
        reciprocals_(splats_.size()),
        elided_positions_(splats_.size()) {
    if (names_.lanes == 1) return;
    find_reciprocals();
    find_splats();
    find_elided_positions();
  }

  /// Writes the values of `depth`: of `stage`, or, for -1, of all stages outside their loops.
  void write_depth(int depth, int stage) {
    const int first = stage < 0 ? 0 : stage;
    const int last = stage < 0 ? static_cast<int>(layout_.stages.size()) - 1 : stage;
    for (int s = first; s <= last; ++s) {
      for (const ValueId id : layout_.kernel.stages[s].body) {
        if (at(id).code != Code::reduce && dependence(id).depth == depth) write(id);
      }
      for (const ValueId id : layout_.kernel.stages[s].body) {
        const Dependence& value = dependence(id);
        if (value.has_base && value.base_depth == depth) instructions_.write_base(id);
      }
    }
  }

  /// Writes `id`, which is not a reduction, for all unrolled copies.
  void write(ValueId id) {
    if (at(id).code == Code::constant && !splatted(id)) return;
    if (elided_positions_[id]) return;
    names_.for_each_instance(dependence(id).loops, [&](const Instance& instance) {
      write_one(id, instance);
      write_reciprocal(id, instance);
    });
  }

  /// `id` as an operand: a name or a literal; with `vector`, broadcast to all lanes.
  std::string operand(ValueId id, const Instance& instance, bool vector) const {
    if (vector && !names_.varying(id))
      return text("s", id, names_.instance_name(dependence(id).loops, instance));
    return at(id).code == Code::constant ? literal(at(id).constant) : names_.name(id, instance);
  }

  /// Declares `id` as `value`, and its broadcast if vector code uses it.
  void declare(ValueId id, const Instance& instance, const std::string& value) {
    out_.line({"const ", type_name(names_.type_of(id)), " ", names_.name(id, instance), " = ",
               value, ";"},
              at(id).remark);
    if (!splatted(id)) return;
    out_.line({"const ", type_name(names_.vector_of(at(id).dtype)), " s", id,
               names_.instance_name(dependence(id).loops, instance), " = ",
               splat(names_.name(id, instance), at(id).dtype), ";"});
  }

  /// The same for the reduction `id`, whose results are rounded if numerics are strict.
  void declare_result(ValueId id, const Instance& instance, const std::string& value) {
    const bool rounds = is_half(at(id).dtype) && context_.strict;
    declare(id, instance, rounds ? rounded(value, at(id).dtype, names_.varying(id)) : value);
  }

  /// `number`, broadcast to a vector of `dtype`.
  std::string splat(const std::string& number, DType dtype) const {
    const bool truth = dtype == boolean;
    return text("splat_", suffix(names_.vector_of(dtype)), truth ? "(-(long)" : "(", number, ")");
  }

  /// `value`, rounded to `dtype`.
  std::string rounded(const std::string& value, DType dtype, bool vector) const {
    return text("round_", dtype, vector ? text("x", names_.lanes) : "", "(", value, ")");
  }

  /// The number of active lanes: "16", or "lanes" in a masked tail.
  std::string live_lanes() const { return names_.masked ? "lanes" : std::to_string(names_.lanes); }

  /// Writes the reciprocal of `id`, which was just written, if quotients multiply by it.
  /// That of a number near either end of its range is not normal, so the divisor is scaled by a
  /// power of two: x / d = x * (1 / (d * scale)) * scale.
  void write_reciprocal(ValueId id, const Instance& instance) {
    if (!reciprocals_[id]) return;
    const std::string divisor = names_.name(id, instance),
                      of = names_.instance_name(dependence(id).loops, instance);
    const std::string type = type_name(names_.vector_of(at(id).dtype));
    const std::string scale =
        text("reciprocal_scale_", suffix(names_.type_of(id)), "(", divisor, ")");
    const std::string value = text("1 / (", divisor, " * ", scale, ")");
    const auto lanes = [&](const std::string& one) {
      return names_.varying(id) ? one : splat(one, at(id).dtype);
    };
    out_.line({"const ", type, " scale", id, of, " = ", lanes(scale), ";"});
    out_.line({"const ", type, " reciprocal", id, of, " = ", lanes(value), ";"});
  }

  /// True if vector code uses the broadcast of `id`.
  bool splatted(ValueId id) const { return splats_[id]; }

  /// Declares `id` and computes it lane by lane from `value`, which refers to `lane`.
  void write_lanes(ValueId id, const Instance& instance, const std::string& value) {
    const std::string vector = names_.name(id, instance);
    out_.line({type_name(names_.type_of(id)), " ", vector, " = {};"}, at(id).remark);
    const std::string sign = at(id).dtype == boolean ? "-(long)" : "";
    out_.line({"for (long lane = 0; lane < ", live_lanes(), "; ++lane) ", vector, "[lane] = ", sign,
               "(", value, ");"});
  }

  // Guards of vectors are tested for all lanes at once; only vectors across an edge test each lane.

  /// True if `extent` grows by the same amount from each lane of `stage` to the next.
  bool has_uniform_stride(Extent extent, int stage) const {
    const Extent variable = layout_.vector_variable(stage);
    const auto step = coefficient_of(extent, variable);
    return step && !names_.varying(*step, stage) &&
           !names_.varying(without(extent, variable), stage);
  }

  /// True if `extent` grows by `step` from each lane of `stage` to the next.
  bool has_lane_stride(std::int64_t step, Extent extent, int stage) const {
    const Extent variable = layout_.vector_variable(stage);
    return has_step(extent, variable, step) && !names_.varying(without(extent, variable), stage);
  }

  /// True if the guards of `id` hold for all lanes whenever they hold for the first and the last.
  bool affine_guards(ValueId id) const {
    const int stage = dependence(id).stage;
    for (const Guard& guard : names_.guards_of(id)) {
      if (!has_uniform_stride(guard.value, stage)) return false;
      if (names_.varying(guard.low, stage) || names_.varying(guard.high, stage)) return false;
    }
    return true;
  }

  /// A sufficient condition that the guards of `id`, which are affine, hold for no lane.
  std::string outside(ValueId id, const Instance& instance) const {
    const int stage = dependence(id).stage;
    const std::string last = text(live_lanes(), " - 1");
    std::string result;
    const auto add = [&](Extent value, std::string_view relation, Extent bound) {
      const std::string end = names_.c_index(bound, stage, instance);
      result +=
          text(result.empty() ? "(" : " || (", names_.c_index(value, stage, instance), relation,
               end, " && ", names_.c_index(value, stage, instance, last), relation, end, ")");
    };
    for (const Guard& guard : names_.guards_of(id)) {
      if (!proven_less_equal(guard.low, guard.value)) add(guard.value, " < ", guard.low);
      if (!proven_less(guard.value, guard.high)) add(guard.value, " >= ", guard.high);
    }
    return result.empty() ? "false" : result;
  }

 private:
  /// The number of unrolled copies in `loops`.
  int copies(LoopSet loops) const {
    int result = 1;
    for (std::size_t position = 0; position < names_.frames.size(); ++position) {
      if ((loops >> position & 1) != 0) result *= names_.frames[position].unroll;
    }
    return result;
  }

  void find_splats() {
    for (const schedule::Stage& stage : layout_.kernel.stages) {
      for (const ValueId id : stage.body) {
        const bool vectors = at(id).code == Code::reduce
                                 ? layout_.vector_loop(dependence(id).stage) >= 0
                                 : names_.varying(id) && at(id).code != Code::random;
        if (!vectors || compares_positions(id)) continue;
        for (const ValueId operand : at(id).operands) {
          if (multiplies_by_reciprocal(id) && operand == at(id).operands[1]) continue;
          if (!names_.varying(operand)) splats_[operand] = true;
        }
      }
    }
  }

  void find_elided_positions() {
    Vector<bool> read(layout_.kernel.instructions.size());
    for (const schedule::Stage& stage : layout_.kernel.stages) {
      for (const ValueId id : stage.body) {
        if (compares_positions(id)) continue;
        for (const ValueId operand : at(id).operands) read[operand] = true;
      }
    }
    for (const schedule::Stage& stage : layout_.kernel.stages) {
      for (const ValueId id : stage.body) {
        elided_positions_[id] = !read[id] && is_consecutive(id);
      }
    }
  }

  // Divisors that the innermost loop does not change: their reciprocal is computed once.

  void find_reciprocals() {
    for (const schedule::Stage& stage : layout_.kernel.stages) {
      for (const ValueId id : stage.body) {
        if (!multiplies_by_reciprocal(id)) continue;
        reciprocals_[at(id).operands[1]] = true;
      }
    }
  }

  /// True if `id` is a quotient whose divisor the innermost loop does not change: it is computed as
  /// a product with the reciprocal.
  bool multiplies_by_reciprocal(ValueId id) const {
    if (context_.strict || at(id).code != Code::compute || at(id).op != Op::div ||
        !names_.varying(id))
      return false;
    if (at(id).constant.bits != 0) return false;  // it is compared: all kernels divide alike
    const ValueId divisor = at(id).operands[1];
    int innermost = 0;
    for (std::size_t s = 0; s < layout_.stages.size(); ++s) {
      innermost = std::max(innermost, layout_.depth(static_cast<int>(s)));
    }
    const int depth = dependence(id).depth;
    if (depth != innermost || dependence(divisor).depth >= depth) return false;
    if (at(divisor).code == Code::constant || at(id).operands[0] == divisor) return false;
    return bounds(layout_.loop(dependence(id).stage, depth - 1).extent).max > names_.lanes;
  }

  std::string reciprocal_product(ValueId id, const Instance& instance) const {
    const ValueId divisor = at(id).operands[1];
    const std::string of = text(divisor, names_.instance_name(dependence(divisor).loops, instance));
    return text(operand(at(id).operands[0], instance, true), " * reciprocal", of, " * scale", of);
  }

  // Lane positions are consecutive, so a comparison with one number compares lane numbers, in lanes
  // as narrow as the resulting mask.

  /// True if the lanes of `id` are consecutive i64 numbers.
  bool is_consecutive(ValueId id) const {
    if (at(id).code != Code::index || at(id).dtype != i64 || !names_.varying(id)) return false;
    return has_lane_stride(1, at(id).index, dependence(id).stage);
  }

  /// True if `id` compares such lanes with one number.
  bool compares_positions(ValueId id) const {
    const Instruction& one = at(id);
    if (one.code != Code::compute || one.operands.size() != 2 || !names_.varying(id)) return false;
    if (detail::position_form(one.op, false) == nullptr) return false;
    const ValueId lhs = one.operands[0], rhs = one.operands[1];
    return (is_consecutive(lhs) && !names_.varying(rhs)) ||
           (is_consecutive(rhs) && !names_.varying(lhs));
  }

  std::string compared_positions(ValueId id, const Instance& instance) const {
    const ValueId lhs = at(id).operands[0], rhs = at(id).operands[1];
    const bool swapped = !is_consecutive(lhs);
    const ValueId position = swapped ? rhs : lhs, number = swapped ? lhs : rhs;
    const detail::PositionForm& form = *detail::position_form(at(id).op, swapped);
    return text(form.negated ? "~" : "", form.helper, suffix(names_.type_of(id)), "(",
                names_.c_index(at(position).index, dependence(id).stage, instance), ", ",
                operand(number, instance, false), ")");
  }

  void write_one(ValueId id, const Instance& instance) {
    switch (at(id).code) {
      case Code::load:
      case Code::store:
      case Code::scan:
      case Code::combine:
      case Code::sort:
        return instructions_.write_instruction(id, instance);
      case Code::constant:
        return out_.line({"const ", type_name(names_.vector_of(at(id).dtype)), " s", id, " = ",
                          splat(literal(at(id).constant), at(id).dtype), ";"},
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
      case Code::compute:
      case Code::reduce:
        break;
    }
    write_compute(id, instance);
  }

  // True if no fma may contract the value, a product or what ends with one, with a sum that reads
  // it. Values that an equality compares are computed by several kernels, which have to agree.
  bool rounds_product(ValueId id) const {
    const Instruction& one = at(id);
    if (!is_floating(one.dtype)) return false;
    const bool is_compared = one.constant.bits != 0 && one.op != Op::cast;
    return (context_.strict || is_compared) &&
           (one.op == Op::mul || (is_compared && is_expensive(one.op)));
  }

  void write_compute(ValueId id, const Instance& instance) {
    if (compares_positions(id)) return declare(id, instance, compared_positions(id, instance));
    const Instruction& instruction = at(id);
    const bool vector = names_.varying(id);
    std::vector<std::string> operands;
    for (const ValueId one : instruction.operands)
      operands.push_back(operand(one, instance, vector));
    const DType from = at(instruction.operands.back()).dtype;
    if (instruction.custom != nullptr) {
      const ValueType type = names_.type_of(id);
      const ValueType lane{vector && type.dtype == boolean ? type.mask : type.dtype};
      std::string joined;
      for (const std::string& one : operands) joined += text(joined.empty() ? "" : ", ", one);
      return declare(id, instance,
                     text(user_function_name(*instruction.custom), "_lanes<", type_name(type),
                          vector ? text(", ", type_name(lane)) : "", ">(", joined, ")"));
    }
    std::string value = multiplies_by_reciprocal(id)
                            ? reciprocal_product(id, instance)
                            : context_.apply(instruction.op, operands, names_.typed(from, vector),
                                             names_.type_of(id));
    if (vector && is_expensive(instruction.op) && copies(dependence(id).loops) >= 4) {
      value = "call_" + value;
    }
    // Unless strict, 16-bit results stay f32 until they are stored. So do the casts to 16 bits that
    // the program did not write: if one of two copies of a value were rounded, their difference
    // would not be 0.
    const bool narrows =
        instruction.op == Op::cast && (instruction.constant.bits != 0 || !is_floating(from));
    if (is_half(instruction.dtype) && (context_.strict || narrows)) {
      value = rounded(value, instruction.dtype, vector);
    } else if (rounds_product(id)) {
      value = text("product_", suffix(names_.type_of(id)), "(", value, ")");
    }
    declare(id, instance, value);
  }

  void write_index(ValueId id, const Instance& instance) {
    const int stage = dependence(id).stage;
    const Extent index = at(id).index;
    if (!names_.varying(id)) {
      const std::string value = names_.c_index(index, stage, instance);
      return declare(id, instance,
                     at(id).dtype == i64
                         ? value
                         : apply(Op::cast, std::array{value}, {i64}, names_.type_of(id)));
    }
    if (!has_uniform_stride(index, stage)) {
      const std::string value = names_.c_index(index, stage, instance, "lane");
      return write_lanes(id, instance, value);
    }
    const std::string value = positions(index, stage, instance);
    declare(id, instance,
            apply(Op::cast, std::array{value}, names_.vector_of(i64), names_.type_of(id)));
  }

  void write_inside(ValueId id, const Instance& instance) {
    const std::string value = names_.condition(id, instance, names_.varying(id) ? "lane" : "");
    if (!names_.varying(id)) return declare(id, instance, value.empty() ? "true" : value);
    if (value.empty()) {
      return declare(id, instance, text("~(", type_name(names_.type_of(id)), "){}"));
    }
    if (!affine_guards(id)) return write_lanes(id, instance, value);
    const std::string result = names_.name(id, instance), first = names_.condition(id, instance);
    const std::string last = names_.condition(id, instance, text(live_lanes(), " - 1"));
    out_.line({type_name(names_.type_of(id)), " ", result, " = {};"}, at(id).remark);
    out_.line({"if (", first, " && ", last, ") ", result, " = ~", result, ";"});
    out_.line({"else if (!(", outside(id, instance), ")) for (long lane = 0; lane < ", live_lanes(),
               "; ++lane) ", result, "[lane] = -(long)(", value, ");"});
  }

  // A bind whose guards do not hold gives 0 and reports no fault.
  void write_bind(ValueId id, const Instance& instance) {
    const ValueId index = at(id).operands[0];
    const bool lanes = names_.varying(id);
    std::string position = operand(index, instance, false);
    if (lanes && names_.varying(index)) position += "[lane]";
    position = apply(Op::cast, std::array{position}, {at(index).dtype}, {i64});
    const std::string_view lane = lanes ? "lane" : "";
    const std::string value =
        text("bind_i64(context, ", site(id, instance, lane), ", ", position, ", ",
             names_.c_index(at(id).bound, dependence(id).stage, instance), ")");
    const std::string guard = names_.condition(id, instance, lane);
    const std::string result = guard.empty() ? value : text(guard, " ? ", value, " : 0");
    if (lanes) return write_lanes(id, instance, result);
    declare(id, instance, result);
  }

  // Replaces a divisor of 0 by 1; where the guards hold, that is also reported as a fault.
  void write_divisor(ValueId id, const Instance& instance) {
    const ValueId divisor = at(id).operands[0];
    const bool vector = names_.varying(id);
    const std::string value = operand(divisor, instance, vector), type = suffix(names_.type_of(id));
    declare(id, instance, text("nonzero_", type, "(", value, ")"));
    const std::string lane = vector ? "lane" : "";
    const std::string guard = names_.condition(id, instance, lane);
    const std::string report = text("if (", operand(divisor, instance, false),
                                    vector && names_.varying(divisor) ? "[lane]" : "", " == 0",
                                    guard.empty() ? "" : " && " + guard, ") report(context, ",
                                    site(id, instance, lane), ", 0, 0);");
    if (!vector) return out_.line(report);
    const auto block = out_.block({"if (has_zero_", type, "(", value, "))"});
    out_.line({"for (long lane = 0; lane < ", live_lanes(), "; ++lane) ", report});
  }

  // The arguments of report() that follow the context: the number of the check `id`, and the
  // position of the element as far as it is known here.
  std::string site(ValueId id, const Instance& instance, std::string_view lane) const {
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
    return text(number + 1, ", ", names_.c_index(position, here.stage, instance, lane));
  }

  void write_random(ValueId id, const Instance& instance) {
    const Instruction& instruction = at(id);
    const int stage = dependence(id).stage;
    const bool vector = names_.varying(id);
    const std::string draw = text(operand(instruction.operands[0], instance, false), ", ",
                                  operand(instruction.operands[1], instance, false), ", ",
                                  static_cast<std::uint32_t>(instruction.constant.bits), "u, ");
    const std::string first = names_.c_index(instruction.index, stage, instance);
    const std::string type = suffix(names_.typed(i32, vector));
    if (!vector) {
      declare(id, instance, text("random_i32(", draw, first, ")"));
    } else if (has_lane_stride(1, instruction.index, stage) && names_.lanes % 4 == 0) {
      declare(id, instance, text("random_run_", type, "(", draw, first, ")"));
    } else if (has_uniform_stride(instruction.index, stage)) {
      const std::string position = positions(instruction.index, stage, instance);
      declare(id, instance, text("random_", type, "(", draw, position, ")"));
    } else {
      const std::string lane = names_.c_index(instruction.index, stage, instance, "lane");
      write_lanes(id, instance, text("random_i32(", draw, lane, ")"));
    }
  }

  std::string positions(Extent extent, int stage, const Instance& instance) const {
    const Extent variable = layout_.vector_variable(stage);
    const auto step = coefficient_of(extent, variable);
    return text("range_i64x", names_.lanes, "(", names_.c_index(extent, stage, instance), ", ",
                names_.c_index(*step, stage, instance), ")");
  }

  InstructionWriter& instructions_;
  Vector<bool> splats_{};
  Vector<bool> reciprocals_{};       ///< Divisors whose reciprocal is computed once.
  Vector<bool> elided_positions_{};  ///< Positions that are only compared, as lane numbers.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
