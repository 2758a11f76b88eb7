#pragma once
// Finds loop steps of a row-tiled kernel that have no effect because a condition on row and step
// makes their contribution neutral: for example the keys after a query under a causal mask.

#include <cmath>  // std::isinf

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The steps of the marked loops from `end` on, or before it, have no effect: only marked loops
/// read what they store, sums add 0, and maxima compare -infinity. Numbers that are multiplied by 0
/// or added to infinity are assumed to be finite.
struct Clip {
  bool found = false;
  bool before = false;  ///< The steps before `end` have no effect, instead of those from it on.
  Extent end = 0;       ///< In terms of the grid; its row is the last row of the tile, or with
                        ///< `before` the first.
  Vector<bool> loops{}, contracted{};  ///< For each stage: whether its only loop is marked.
};

namespace detail {

/// What is known about a value in all steps that are clipped.
enum class Tail : std::uint8_t { any, zero, lowest, holds, fails };

struct Clipper {
  const Kernel& whole;
  bool checks_apart = false;
  Clip result{};
  Vector<Tail> tails{};   // of each instruction
  Vector<Tail> locals{};  // of what is stored to each argument
  Extent extent = 0;      // of the loops

  const Instruction& at(ValueId id) const { return whole.instructions[id]; }
  Tail tail(ValueId id) const { return tails[id]; }

  // The step of `loop` from which on a comparison of indices has the same result in every row up to
  // the last one of a tile.
  Optional<Extent> end_of(const Instruction& one, const Loop& loop) const {
    const bool orders =
        one.op == Op::ge || one.op == Op::gt || one.op == Op::le || one.op == Op::lt;
    if (one.code != Code::compute || !orders) return {};
    for (const ValueId operand : one.operands) {
      const Code code = at(operand).code;
      if (code != Code::index && code != Code::constant) return {};
    }
    const bool swapped = one.op == Op::le || one.op == Op::lt;
    const Extent a = index(one.operands[swapped ? 1 : 0]), b = index(one.operands[swapped ? 0 : 1]);
    const auto step = coefficient_of(a - b, loop.variable);
    if (!step || !(same(*step, 1) || same(*step, -1))) return {};
    const bool fails = same(*step, -1);  // a - b grows, or falls
    const Extent limit = fails ? without(a - b, loop.variable) : without(b - a, loop.variable);
    const auto slope = coefficient_of(limit, whole.grid.back().variable);
    if (!slope || bounds(*slope).min < 0) return {};
    const bool equal = one.op == Op::ge || one.op == Op::le;
    return fails == equal ? limit + 1 : limit;  // n <= limit; n < limit; n > limit; n >= limit
  }

  Extent index(ValueId id) const {
    const Instruction& one = at(id);
    return one.code == Code::index ? one.index : Extent(one.constant.integer());
  }

  // Whether the comparison holds in the clipped steps.
  Tail truth(const Instruction& one, const Loop& loop) const {
    const auto end = end_of(one, loop);
    if (!end || !same(*end, result.end)) return Tail::any;
    const bool swapped = one.op == Op::le || one.op == Op::lt;
    const Extent difference = swapped ? index(one.operands[1]) - index(one.operands[0])
                                      : index(one.operands[0]) - index(one.operands[1]);
    const bool falls = same(*coefficient_of(difference, loop.variable), -1);
    return falls == result.before ? Tail::holds : Tail::fails;
  }

  static Tail of_constant(const Constant& number) {
    if (number.dtype == boolean) return number.bits != 0 ? Tail::holds : Tail::fails;
    if (!is_floating(number.dtype)) return Tail::any;
    const double value = number.floating();
    return value == 0 ? Tail::zero : std::isinf(value) && value < 0 ? Tail::lowest : Tail::any;
  }

  Tail of_compute(const Instruction& one, const Loop& loop) const {
    const Tail a = tail(one.operands[0]);
    const Tail b = one.operands.size() > 1 ? tail(one.operands[1]) : Tail::any;
    switch (one.op) {
      case Op::ge:
      case Op::gt:
      case Op::le:
      case Op::lt:
        return truth(one, loop);
      case Op::bitwise_and:
        if (a == Tail::fails || b == Tail::fails) return Tail::fails;
        return a == Tail::holds && b == Tail::holds ? Tail::holds : Tail::any;
      case Op::bitwise_or:
        if (a == Tail::holds || b == Tail::holds) return Tail::holds;
        return a == Tail::fails && b == Tail::fails ? Tail::fails : Tail::any;
      case Op::bitwise_not:
        return a == Tail::holds ? Tail::fails : a == Tail::fails ? Tail::holds : Tail::any;
      case Op::select:
        return a == Tail::holds             ? b
               : a == Tail::fails           ? tail(one.operands[2])
               : b == tail(one.operands[2]) ? b
                                            : Tail::any;
      case Op::cast:
        return is_floating(one.dtype) ? a : Tail::any;
      case Op::neg:
      case Op::div:
        return a == Tail::zero ? a : Tail::any;
      case Op::mul:
        return a == Tail::zero || b == Tail::zero ? Tail::zero : Tail::any;
      case Op::add:
        if (a == Tail::lowest || b == Tail::lowest) return Tail::lowest;
        return a == Tail::zero && b == Tail::zero ? Tail::zero : Tail::any;
      case Op::sub:
        return a == Tail::lowest && b != Tail::lowest ? a : Tail::any;
      case Op::exp:
        return a == Tail::lowest ? Tail::zero : Tail::any;
      default:
        return Tail::any;
    }
  }

  // What is known about `one` in the clipped steps of `loop`.
  Tail tail_of(const Instruction& one, const Loop& loop) const {
    if (one.code == Code::constant) return of_constant(one.constant);
    if (one.code == Code::compute) return of_compute(one, loop);
    if (one.code == Code::load && same(one.index, loop.variable) && one.guards.empty()) {
      return locals[one.argument];
    }
    return Tail::any;
  }

  // Analyzes a stage; returns false if the clipped steps of `loop` have an effect in it.
  bool visit(const Stage& stage, const Loop& loop, bool contracted) {
    bool neutral = true;
    for (const ValueId id : stage.body) {
      const Instruction& one = at(id);
      tails[id] = tail_of(one, loop);
      // A fault must be reported even if the step has no other effect.
      const bool checks = can_fault(one) && depends_on(one.index, loop.variable);
      neutral = neutral && (checks_apart || !checks);
      if (one.code == Code::store && !contracted) {
        const bool row = is_local(whole, one) && same(one.index, loop.variable);
        neutral = neutral && row;
        if (row) locals[one.argument] = tail(one.operands[0]);
      }
      const bool reduces = one.code == Code::reduce && (contracted || stage.contracted.empty());
      if (!reduces) continue;
      const Tail operand = tail(one.operands[0]);
      neutral = neutral && ((one.op == Op::sum && operand == Tail::zero) ||
                            (one.op == Op::max && operand == Tail::lowest));
    }
    return neutral;
  }

  bool fits(const Vector<Loop>& loops) const {
    return loops.size() == 1 && same(loops[0].extent, extent);
  }

  // Whether an instruction with `code` in `stage` accesses one of the locals that are marked.
  bool touches(const Stage& stage, const Vector<bool>& arguments, Code code) const {
    return any_of(stage.body, [&](ValueId id) {
      return at(id).code == code && is_local(whole, at(id)) && arguments[at(id).argument];
    });
  }

  // Marks loops without effect, then unmarks those whose clipped results are used elsewhere.
  void mark() {
    tails.assign(whole.instructions.size(), Tail::any);
    locals.assign(whole.arguments.size(), Tail::any);
    for (std::size_t s = 0; s < whole.stages.size(); ++s) {
      const Stage& stage = whole.stages[s];
      result.loops.push_back(fits(stage.loops) && visit(stage, stage.loops[0], false));
      const bool contracts = !result.loops[s] && fits(stage.contracted);
      result.contracted.push_back(contracts && visit(stage, stage.contracted[0], true));
    }
    bool changed = true;
    while (changed) {
      changed = false;
      Vector<bool> whole_rows(whole.arguments.size(), false);  // locals read in all steps
      for (std::size_t s = 0; s < whole.stages.size(); ++s) add_uses(s, whole_rows);
      for (std::size_t s = 0; s < whole.stages.size(); ++s) {
        if (!result.loops[s]) continue;
        if (!touches(whole.stages[s], whole_rows, Code::store)) continue;
        result.loops[s] = false;
        changed = true;
      }
    }
  }

  // Adds the locals that stage `s` reads in all steps.
  void add_uses(std::size_t s, Vector<bool>& whole_rows) const {
    const Stage& stage = whole.stages[s];
    for (const ValueId id : stage.body) {
      const Instruction& one = at(id);
      if (one.code != Code::load || !is_local(whole, one)) continue;
      const bool clipped = (result.loops[s] && same(one.index, stage.loops[0].variable)) ||
                           (result.contracted[s] && same(one.index, stage.contracted[0].variable));
      if (!clipped) whole_rows[one.argument] = true;
    }
  }

  Clip run() {
    for (const Stage& stage : whole.stages) {
      if (stage.loops.size() != 1) continue;
      for (const ValueId id : stage.body) {
        const auto end = end_of(at(id), stage.loops[0]);
        for (const bool before : {false, true}) {
          if (!end) continue;
          result = {.before = before, .end = *end};
          extent = stage.loops[0].extent;
          mark();
          result.found = contains(result.loops, true) || contains(result.contracted, true);
          if (result.found) return std::move(result);
        }
      }
    }
    return {};
  }
};

}  // namespace detail

/// The first condition in `whole` that clips loops; not `found` if there is none. Steps that check
/// the data are not clipped, unless other loops make these checks (`checks_apart`).
inline Clip clip_of(const Kernel& whole, bool checks_apart = false) {
  return detail::Clipper{whole, checks_apart}.run();
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
