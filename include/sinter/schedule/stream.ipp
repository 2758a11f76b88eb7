#pragma once

// A block kernel without its local rows: what is stored in one stage and loaded in another is the
// same number there, computed again where it is needed.

#include <cstdint>  // std::uint64_t
#include <utility>  // std::move, std::pair, std::swap

#include <sinter/schedule/block_clip.hpp>
#include <sinter/schedule/block_limits.hpp>
#include <sinter/schedule/loops.hpp>
#include <sinter/schedule/stream.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// What a thread keeps in registers, or a block in shared memory, of a row.
inline constexpr std::int64_t most_stream_width = 256;
inline constexpr std::size_t most_stream_totals = 32;

/// The sum of `core` times `factors`, of a row; those that are `divisors` divide.
struct Stripped {
  ValueId core = -1;
  std::vector<ValueId> factors{};
  std::vector<bool> divisors{};
  std::int32_t peak = -1;
  ValueId shift = -1;
};

struct Streamer {
  const Kernel& whole;
  StreamForm form{};
  std::vector<ValueId> moved{};  // of each instruction of `whole`
  std::vector<ValueId> kept{};   // of each argument that is local: what is there in a step
  std::vector<std::pair<Extent, Extent>> bound{};  // variables of binds that are there already
  const Stage* stage = nullptr;
  bool streams_loops = false, streams_contracted = false;

  explicit Streamer(const Kernel& kernel)
      : whole(kernel), moved(kernel.instructions.size(), -1), kept(kernel.arguments.size(), -1) {}

  const Instruction& at(ValueId id) const {
    return form.code.instructions[static_cast<std::size_t>(id)];
  }
  const StreamFacts& of(ValueId id) const { return form.facts[static_cast<std::size_t>(id)]; }
  bool is_local(const Instruction& one) const {
    return one.argument >= 0 &&
           whole.arguments[static_cast<std::size_t>(one.argument)].access == Access::local;
  }

  static bool same_guards(const std::vector<Guard>& a, const std::vector<Guard>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!same(a[i].value, b[i].value) || !same(a[i].low, b[i].low)) return false;
      if (!same(a[i].high, b[i].high)) return false;
    }
    return true;
  }

  static bool equal(const Instruction& a, const Instruction& b) {
    return a.code == b.code && a.op == b.op && a.dtype == b.dtype && a.operands == b.operands &&
           a.constant == b.constant && a.argument == b.argument && same(a.index, b.index) &&
           same(a.bound, b.bound) && same_guards(a.guards, b.guards);
  }

  static void add_facts(const StreamFacts& of, StreamFacts& to) {
    to.row = to.row || of.row;
    to.step = to.step || of.step;
    to.inner = to.inner || of.inner;
    to.totals |= of.totals;
    to.sums |= of.sums;
  }

  void add_variables(Extent extent, StreamFacts& to) const {
    for (const Extent variable : variables(extent)) {
      if (!variable.is_range()) continue;
      if (const ValueId bind = bind_of(form.code, variable); bind >= 0) {
        add_facts(of(bind), to);
        continue;
      }
      bool outer = false;
      for (const Loop& loop : form.batch) outer = outer || same(loop.variable, variable);
      if (same(variable, form.row.variable)) {
        to.row = true;
      } else if (same(variable, form.step.variable)) {
        to.step = true;
      } else if (!outer) {
        to.inner = true;
      }
    }
  }

  StreamFacts facts_of(const Instruction& one) const {
    StreamFacts result;
    if (!can_fault(one)) add_variables(one.index, result);  // else that is where it is at fault
    for (const Guard& guard : one.guards) {
      for (const Extent extent : {guard.value, guard.low, guard.high}) {
        add_variables(extent, result);
      }
    }
    for (const ValueId operand : one.operands) add_facts(of(operand), result);
    return result;
  }

  /// Appends `one`, unless it is there already.
  ValueId add(Instruction one) {
    const bool pure = one.code != Code::store && one.code != Code::reduce;
    for (std::size_t i = 0; pure && i < form.code.instructions.size(); ++i) {
      if (equal(form.code.instructions[i], one)) return static_cast<ValueId>(i);
    }
    form.facts.push_back(facts_of(one));
    form.code.instructions.push_back(std::move(one));
    const auto id = static_cast<ValueId>(form.facts.size()) - 1;
    form.code.stages[0].body.push_back(id);
    return id;
  }

  ValueId add(Op op, DType dtype, std::initializer_list<ValueId> operands) {
    Instruction one{.code = Code::compute, .op = op, .dtype = dtype};
    one.operands = operands;
    one.remark = to_string(op);
    return add(std::move(one));
  }

  /// A number that loops over steps or a depth give; its operands are not part of it.
  ValueId add_result(const Instruction& reduce, StreamFacts depends) {
    const ValueId id = add({.code = Code::reduce,
                            .op = reduce.op,
                            .dtype = reduce.dtype,
                            .where = reduce.where,
                            .remark = reduce.remark});
    form.facts.back() = depends;
    return id;
  }

  // Whether `variable` is what a local row is indexed by in this stage.
  bool is_streamed(const std::vector<Loop>& loops) const {
    if (loops.size() != 1 || !loops[0].variable.is_range()) return false;
    for (const ValueId id : stage->body) {
      const Instruction& one = whole.instructions[static_cast<std::size_t>(id)];
      if (is_local(one) && same(one.index, loops[0].variable)) return true;
    }
    return false;
  }

  Extent in_step(Extent extent) const {
    if (!bound.empty()) extent = substitute(extent, bound);
    if (streams_loops) extent = substitute(extent, stage->loops[0].variable, form.step.variable);
    if (!streams_contracted) return extent;
    return substitute(extent, stage->contracted[0].variable, form.step.variable);
  }

  bool find_loops() {
    if (whole.grid.empty() || !whole.grid.back().variable.is_range()) return false;
    form.row = whole.grid.back();
    for (std::size_t i = 0; i + 1 < whole.grid.size(); ++i) {
      if (whole.grid[i].variable.is_range()) form.batch.push_back(whole.grid[i]);
    }
    for (const Stage& one : whole.stages) {
      stage = &one;
      for (const std::vector<Loop>* loops : {&one.loops, &one.contracted}) {
        if (!is_streamed(*loops)) continue;
        const Extent extent = loops->front().extent;
        if (found_step && !same(form.step.extent, extent)) return false;
        form.step = {Extent::range(next_range(whole) + 1, extent), extent, 1};
        found_step = true;
      }
    }
    return found_step;
  }
  bool found_step = false;

  static bool narrow_enough(const std::vector<Loop>& loops) {
    Extent count = 1;
    for (const Loop& loop : loops) count *= loop.extent;
    return !loops.empty() && bounds(count).max <= most_stream_width;
  }

  // The operand of a sum over `contracted` as two factors.
  bool factors_of(const Instruction& reduce, ValueId& left, ValueId& right) const {
    if (reduce.op != Op::sum) return false;
    const Instruction& product = at(moved[static_cast<std::size_t>(reduce.operands[0])]);
    if (product.code != Code::compute || product.op != Op::mul) return false;
    left = product.operands[0], right = product.operands[1];
    return true;
  }

  bool add_dot(ValueId id) {
    const Instruction& reduce = whole.instructions[static_cast<std::size_t>(id)];
    StreamDot dot;
    if (!factors_of(reduce, dot.left, dot.right) || !narrow_enough(stage->contracted)) return false;
    if (of(dot.left).step || of(dot.right).row) std::swap(dot.left, dot.right);
    if (of(dot.left).step || of(dot.right).row) return false;
    if (of(dot.left).totals != 0 || of(dot.right).totals != 0) return false;
    dot.depth = stage->contracted;
    dot.result = add_result(reduce, {.row = true, .step = true});
    moved[static_cast<std::size_t>(id)] = dot.result;
    form.dots.push_back(std::move(dot));
    return true;
  }

  bool add_total(ValueId id);
  bool add_sum(ValueId id);
  std::optional<Stripped> strip(ValueId id, std::uint32_t current);
  bool narrows(const Instruction& cast) const;
  bool is_random(ValueId id) const;
  std::optional<Stripped> strip_compute(ValueId id, std::uint32_t current);
  std::optional<Stripped> strip_exp(ValueId id, std::uint32_t current) const;
  std::optional<Stripped> strip_product(ValueId id, std::uint32_t current);
  std::optional<Stripped> strip_select(ValueId id, std::uint32_t current);
  Stripped placed(ValueId value, bool scales, int& pass);
  ValueId with_factors(ValueId result, const Stripped& stripped, DType dtype);

  bool add_reduce(ValueId id);
  bool add_store(Instruction one);
  ValueId stored(const Instruction& load) const;
  std::int32_t check_number(ValueId id) const;
  bool add_instruction(ValueId id);
  bool add_stage(const Stage& one);
  bool clips_all(const Clip& clip) const;
  bool reaches_checks() const;
  std::optional<std::vector<ValueId>> checks_apart() const;
  std::optional<StreamForm> run();
};

}  // namespace detail

SINTER_INLINE ValueId bind_of(const Kernel& code, Extent variable) {
  for (std::size_t id = 0; id < code.instructions.size(); ++id) {
    const Instruction& one = code.instructions[id];
    if (one.code == Code::bind && same(one.variable, variable)) return static_cast<ValueId>(id);
  }
  return -1;
}

SINTER_INLINE std::optional<StreamForm> stream_form(const Kernel& kernel) {
  return detail::Streamer(kernel).run();
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
