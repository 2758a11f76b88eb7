#pragma once
// Writes the reductions of a stage: accumulators before its loops, updates inside, results after.

#include <algorithm>  // std::max, std::none_of
#include <array>      // std::array
#include <string>     // std::string
#include <vector>     // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/memory.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// True if `reduction` is rounded, so that its result depends on the order of the elements.
inline bool is_rounded(const Instruction& reduction) {
  return is_floating(reduction.dtype) && (reduction.op == Op::sum || reduction.op == Op::prod);
}

class Reductions : private KernelPart {
 public:
  Reductions(KernelContext& context, Values& values, Memory& memory,
             InstructionWriter& instructions)
      : KernelPart(context), values_(values), memory_(memory), instructions_(instructions) {}

  /// How many accumulators a reduction of `stage` has, to hide the latency of additions.
  int accumulators_of(int stage) const {
    const auto& body = layout_.kernel.stages[stage].body;
    bool reduces = false;
    for (const ValueId id : body) {
      if (at(id).code != Code::reduce) continue;
      if (at(id).op == Op::argmax || in_order(id)) return 1;
      reduces = true;
    }
    const Vector<Loop>& loops = layout_.stages[stage];
    if (!reduces || loops.empty()) return 1;
    for (const Loop& loop : layout_.grid) {
      if (loop.unroll > 1) return 1;  // the unrolled tile hides the latency
    }
    int unrolled = 1;
    for (const Frame& frame : names_.frames) unrolled *= frame.unroll;
    const bool lanes = names_.lanes > 1 && layout_.vector_stages[stage];
    const std::int64_t most = bounds(loops.back().extent).max / (lanes ? names_.lanes : 1);
    int count = std::max(1, (has_expensive_op(layout_.kernel, stage) ? 2 : 4) / unrolled);
    if (context_.tuning.unroll != 0) count = std::max(1, context_.tuning.unroll / unrolled);
    while (count > 1 && count > most) count /= 2;
    return count;
  }

  void write_accumulators(int stage) {
    for (const ValueId id : layout_.kernel.stages[stage].body) {
      if (at(id).code != Code::reduce && at(id).code != Code::scan) continue;
      if (accumulated_in(id) != id) continue;
      const ValueType type = accumulator_type(id);
      const bool argmax = at(id).op == Op::argmax;
      const std::string first = literal(neutral(argmax ? Op::max : at(id).op, type.dtype));
      const std::string start = type.lanes > 1 ? values_.splat(first, type.dtype) : first;
      names_.for_each_instance(dependence(id).loops, [&](const Instance& instance) {
        for (int part = 0; part < accumulator_count_; ++part) {
          out_.line({type_name(type), " ", accumulator(id, instance, part), " = ", start, ";"});
        }
        const ValueType index = names_.typed(at(id).dtype, type.lanes > 1);
        if (argmax) out_.line({type_name(index), " ", position(id, instance), " = {};"});
      });
    }
  }

  /// Writes the pinned instructions and the reductions of `stage` in order; the stores for which
  /// can_defer() holds come last: a load that follows a store to the same offset in a page, as in
  /// rows of large buffers, is taken for a dependent one (4K aliasing) and waits.
  void write_innermost(int stage) {
    const int depth = layout_.depth(stage);
    const LoopSet loops = loop_at(depth) - loop_at(layout_.grid_depth());
    Vector<ValueId> stores;
    for (const ValueId id : layout_.kernel.stages[stage].body) {
      if (at(id).code == Code::reduce) {
        if (accumulated_in(id) != id) continue;
        names_.for_each_instance(dependence(id).loops | loops, [&](const Instance& instance) {
          at(id).op == Op::argmax ? write_argmax(id, instance)
                                  : instructions_.write_update(id, instance);
        });
      } else if (dependence(id).depth == depth) {
        can_defer(id, stage) ? stores.push_back(id) : values_.write(id);
      }
    }
    for (const ValueId id : stores) values_.write(id);
  }

  void write_results(int stage) {
    for (const ValueId id : layout_.kernel.stages[stage].body) {
      if (at(id).code != Code::reduce) continue;
      names_.for_each_instance(dependence(id).loops, [&](const Instance& instance) {
        instructions_.write_result(id, instance);
        values_.write_reciprocal(id, instance);
      });
    }
  }

  /// "a12_0_1": one of the accumulator_count() accumulators of an unrolled copy.
  std::string accumulator(ValueId id, const Instance& instance, int part) const {
    return text("a", id, names_.instance_name(dependence(id).loops, instance),
                accumulator_count_ > 1 ? text("_", part) : "");
  }

  /// "at12_0_1": the position of the largest element so far.
  std::string position(ValueId id, const Instance& instance) const {
    return text("at", id, names_.instance_name(dependence(id).loops, instance));
  }

  ValueType accumulator_type(ValueId id) const {
    const DType dtype = at(id).op == Op::argmax ? at(at(id).operands[0]).dtype : at(id).dtype;
    return names_.typed(dtype, vector_accumulator(id));
  }

  /// Write `id` as InstructionWriter asks; kernels for GPUs have other forms of some.
  void write_instruction(ValueId id, const Instance& instance) {
    switch (at(id).code) {
      case Code::load:
        return memory_.write_load(id, instance);
      case Code::store:
        return memory_.write_store(id, instance);
      case Code::sort:
        return memory_.write_sort(id, instance);
      case Code::scan:
        return write_running(id, instance);
      default:
        return write_combine(id, instance);
    }
  }

  void write_update(ValueId id, const Instance& instance) {
    const ValueType type = accumulator_type(id);
    const bool lanes = across_lanes(id);
    const int part = instance.size() == 0 ? 0 : instance[instance.size() - 1];
    const bool last_is_grid = static_cast<int>(instance.size()) <= layout_.grid_depth();
    const std::string result = accumulator(id, instance, last_is_grid ? 0 : part);
    std::string value = values_.operand(at(id).operands[0], instance, lanes || type.lanes > 1);
    if (lanes && type.lanes == 1) {
      out_.line({result, " = ", at(id).op, "_in_order_", suffix(names_.vector_of(type.dtype)), "(",
                 result, ", ", value, ", ", values_.live_lanes(), ");"},
                at(id).remark);
      return;
    }
    const bool is_neutral = at(id).op == Op::sum && is_zero_outside(at(id).operands[0]);
    if (lanes && names_.masked && !is_neutral) {
      const std::string none = literal(neutral(at(id).op, type.dtype));
      value = text("keep_", suffix(type), "(lanes, ", value, ", ", values_.splat(none, type.dtype),
                   ")");
    }
    // The helpers test their first operand for NaN: the accumulator, which is loop-carried, comes
    // second.
    const bool extreme = at(id).op == Op::max || at(id).op == Op::min;
    const std::array operands{extreme ? value : result, extreme ? result : value};
    out_.line({result, " = ", context_.apply(combining(at(id).op), operands, type, type), ";"},
              at(id).remark);
  }

  void write_result(ValueId id, const Instance& instance) {
    if (at(id).op == Op::argmax) return values_.declare(id, instance, position(id, instance));
    const ValueType type = accumulator_type(id);
    if (accumulated_in(id) != id) {
      return values_.declare(id, instance, accumulator(accumulated_in(id), instance, 0));
    }
    std::string value = combined(id, instance);
    if (across_lanes(id) && type.lanes > 1) {
      const bool truth = type.dtype == boolean;  // true is -1 in a lane, so max becomes min
      const Op op = !truth ? at(id).op : at(id).op == Op::max ? Op::min : Op::max;
      value = text(op, "_lanes_", suffix(type), "(", value, ")", truth ? " != 0" : "");
    }
    values_.declare_result(id, instance, value);
  }

  /// Writes a step of the scan `id`.
  void write_running(ValueId id, const Instance& instance) {
    const ValueType type = accumulator_type(id);
    const std::string sum = accumulator(id, instance, 0);
    const std::array operands{sum, values_.operand(at(id).operands[0], instance, type.lanes > 1)};
    out_.line({sum, " = ", context_.apply(combining(at(id).op), operands, type, type), ";"});
    values_.declare(id, instance, sum);
  }

  // Partial reductions: grid points combine into results in memory, which a later kernel reduces.

  /// Initialises the results of a partial reduction to the neutral element.
  void write_neutral_results() {
    for (const Instruction& one : layout_.kernel.instructions) {
      if (one.code != Code::combine) continue;
      const std::string first = names_.c_index(layout_.grid[0].variable * one.bound, 0, {});
      out_.line({"fill_", one.dtype, "(", names_.argument_name(one.argument), " + ", first, ", ",
                 names_.c_index(one.bound, 0, {}), ", ", literal(neutral(one.op, one.dtype)),
                 ");"});
    }
  }

  /// How many accumulators the current stage has: accumulators_of(stage).
  int accumulator_count() const { return accumulator_count_; }
  void set_accumulator_count(int count) { accumulator_count_ = count; }

  /// The reduction that has the accumulator of `id`: itself; or, of a maximum, the reduction to its
  /// position, which finds the maximum as well.
  ValueId accumulated_in(ValueId id) const {
    const Instruction& one = at(id);
    if (one.code != Code::reduce || one.op != Op::max || context_.strict || across_lanes(id))
      return id;
    if (!is_floating(one.dtype)) return id;
    const auto stage = static_cast<std::size_t>(dependence(id).stage);
    for (const ValueId other : layout_.kernel.stages[stage].body) {
      const bool is_position = at(other).code == Code::reduce && at(other).op == Op::argmax;
      if (is_position && at(other).operands == one.operands) return other;
    }
    return id;
  }

 private:
  /// True if no later instruction of `stage` may see what the store `id` writes.
  bool can_defer(ValueId id, int stage) const {
    if (at(id).code != Code::store) return false;
    const auto& body = layout_.kernel.stages[stage].body;
    return std::none_of(find(body, id), body.end(), [&](ValueId other) {
      const bool stores = at(other).code == Code::store, loads = at(other).code == Code::load;
      const bool same = !loads || at(other).argument == at(id).argument;
      return !stores && pinned(layout_.kernel, at(other)) && same;
    });
  }

  /// True if `id` is 0 in the lanes that a mask excludes.
  bool is_zero_outside(ValueId id) const {
    const Instruction& one = at(id);
    const auto is_zero = [&](ValueId operand) { return is_zero_outside(operand); };
    if (!names_.varying(id)) return false;
    if (one.code == Code::load) {
      const bool is_plain = one.guards.empty() || cast(one.constant, f64) == constant(0, f64);
      return is_plain && memory_.contiguous(id);
    }
    if (one.code != Code::compute || !is_floating(one.dtype)) return false;
    return (one.op == Op::mul || one.op == Op::cast) && all_of(one.operands, is_zero);
  }

  /// True if `id` accumulates a vector: each lane has a partial result, or a result of its own.
  bool vector_accumulator(ValueId id) const {
    if (!across_lanes(id)) return names_.varying(id);
    return at(id).op != Op::argmax && !in_order(id);
  }

  /// True if lanes have partial results of one reduction.
  bool across_lanes(ValueId id) const {
    return names_.lanes > 1 && layout_.vector_stages[dependence(id).stage];
  }

  /// All accumulators of `id`, combined in a fixed order.
  std::string combined(ValueId id, const Instance& instance) const {
    const ValueType type = accumulator_type(id);
    std::vector<std::string> parts;
    for (int part = 0; part < accumulator_count_; ++part)
      parts.push_back(accumulator(id, instance, part));
    while (parts.size() > 1) {
      std::vector<std::string> sums;
      for (std::size_t i = 0; i < parts.size(); i += 2) {
        const std::array pair{parts[i], parts[i + 1]};
        const std::string sum = context_.apply(combining(at(id).op), pair, type, type);
        sums.push_back(parts.size() > 2 ? text("(", sum, ")") : sum);
      }
      parts = sums;
    }
    return parts[0];
  }

  // Combines whole vectors where lanes are contiguous, and one number where lanes share a result.
  void write_combine(ValueId id, const Instance& instance) {
    const Instruction& one = at(id);
    const int stage = dependence(id).stage, loop = layout_.vector_loop(stage);
    const ValueId value = one.operands[0];
    const bool vector = names_.lanes > 1 && loop >= 0;
    if (vector && memory_.contiguous(id)) {
      const ValueType type = names_.vector_of(one.dtype);
      const std::string part = names_.masked ? "_part_" : "_",
                        lanes = names_.masked ? "lanes, " : "";
      const std::string where = memory_.address(id, instance), name = suffix(type);
      const std::array operands{text("load", part, name, "(", lanes, where, ")"),
                                values_.operand(value, instance, true)};
      return out_.line({"store", part, name, "(", lanes, where, ", ",
                        apply(combining(one.op), operands, type, type), ");"},
                       one.remark);
    }
    const ValueType type{one.dtype};
    if (vector && !names_.varying(one.index, stage)) {
      const ValueType lanes = names_.vector_of(one.dtype);
      std::string all = values_.operand(value, instance, true);
      const std::string none = values_.splat(literal(neutral(one.op, one.dtype)), one.dtype);
      if (names_.masked) all = text("keep_", suffix(lanes), "(lanes, ", all, ", ", none, ")");
      const std::string where = memory_.element(id, instance);
      const std::array operands{where, text(one.op, "_lanes_", suffix(lanes), "(", all, ")")};
      return out_.line({where, " = ", apply(combining(one.op), operands, type, type), ";"},
                       one.remark);
    }
    const std::string where = memory_.element(id, instance, vector ? "lane" : "");
    const bool by_lane = vector && names_.varying(value);
    const std::string number = by_lane ? text(names_.name(value, instance), "[lane]")
                                       : values_.operand(value, instance, false);
    const std::array operands{where, number};
    const std::string loop_head =
        vector ? text("for (long lane = 0; lane < ", values_.live_lanes(), "; ++lane) ") : "";
    out_.line({loop_head, where, " = ", apply(combining(one.op), operands, type, type), ";"},
              one.remark);
  }

  void write_argmax(ValueId id, const Instance& instance) {
    const ValueType type = accumulator_type(id);
    const int stage = dependence(id).stage;
    const ValueId operand_id = at(id).operands[0];
    const std::string best = accumulator(id, instance, 0), where = position(id, instance);
    const bool is_narrow = at(id).dtype == i32;
    const std::string_view verb = is_narrow               ? "argmax_narrow_"
                                  : type.dtype != boolean ? "argmax_"
                                  : type.lanes > 1        ? "argmax_truth_"
                                                          : "argmax_";
    if (type.lanes > 1) {
      const std::string value = values_.operand(operand_id, instance, true);
      out_.line(text(verb, suffix(type), "(", best, ", ", where, ", ", value, ", ",
                     names_.c_index(at(id).index, stage, instance), ");"),
                at(id).remark);
      return;
    }
    const bool lanes = across_lanes(id) && names_.varying(operand_id);
    std::string value = values_.operand(operand_id, instance, false);
    if (lanes) value += type.dtype == boolean ? "[lane] != 0" : "[lane]";
    const std::string index =
        names_.c_index(at(id).index, stage, instance, across_lanes(id) ? "lane" : "");
    const std::string loop =
        across_lanes(id) ? text("for (long lane = 0; lane < ", values_.live_lanes(), "; ++lane) ")
                         : "";
    out_.line(
        {loop, verb, suffix({type.dtype}), "(", best, ", ", where, ", ", value, ", ", index, ");"},
        at(id).remark);
  }

  bool in_order(ValueId id) const { return context_.strict && is_rounded(at(id)); }

  Values& values_;
  Memory& memory_;
  InstructionWriter& instructions_;
  int accumulator_count_ = 1;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
