#pragma once

#include <algorithm>  // std::count_if, std::max
#include <utility>    // std::move, std::swap

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/schedule/analysis/row_limits.hpp>
#include <sinter/schedule/loop/clip.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/schedule/lower/kernel_builder.hpp>
#include <sinter/schedule/tile/streaming_form.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

// Replaces local rows by values: loads of what an earlier stage stored are rematerialized.

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

inline constexpr std::size_t max_running_reductions = 32;  // bits of StreamingFacts

/// A value as `core` times the row scalars `factors`, or divided by those marked in `divisors`.
struct Factored {
  ValueId core = -1;
  Vector<ValueId> factors{};
  Vector<bool> divisors{};
  std::int32_t running_max = -1;
  ValueId rescale_base = -1;
};

struct Streamer {
  const Kernel& kernel;
  const StreamingLimits& limits;
  StreamingForm form{};
  HashMap<Hash, ValueId, HashOfHash> first{};  // the first of equal instructions
  Vector<ValueId> moved{};                     // for each instruction of `kernel`
  Vector<ValueId> local_values{};              // for each local argument: its value in a step
  Substitutions merged_binds{};                // their variables, merged with equal ones
  const Stage* stage = nullptr;
  bool loops_are_steps = false, contracts_steps = false, has_step = false;

  Streamer(const Kernel& streamed, const StreamingLimits& of_target)
      : kernel(streamed),
        limits(of_target),
        moved(kernel.instructions.size(), -1),
        local_values(kernel.arguments.size(), -1) {}

  const Instruction& at(ValueId id) const { return form.code.instructions[id]; }
  const StreamingFacts& of(ValueId id) const { return form.facts[id]; }
  static void add_facts(const StreamingFacts& of, StreamingFacts& to) {
    to.row = to.row || of.row;
    to.step = to.step || of.step;
    to.inner = to.inner || of.inner;
    to.reductions |= of.reductions;
    to.accumulators |= of.accumulators;
  }

  void add_variables(Extent extent, StreamingFacts& to) const {
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

  StreamingFacts facts_of(const Instruction& one) const {
    StreamingFacts result;
    if (!can_fault(one)) add_variables(one.index, result);  // else it only locates the fault
    for (const Guard& guard : one.guards) {
      for (const Extent extent : {guard.value, guard.low, guard.high}) {
        add_variables(extent, result);
      }
    }
    for (const ValueId operand : one.operands) add_facts(of(operand), result);
    return result;
  }

  /// Appends `one`, or finds an equal instruction.
  ValueId add(Instruction one) {
    if (one.code != Code::store && one.code != Code::reduce) {
      const auto next = static_cast<ValueId>(form.code.instructions.size());
      const auto [known, is_new] = first.emplace(identity(one), next);
      if (!is_new) return known->second;
    }
    form.facts.push_back(facts_of(one));
    return append(form.code, std::move(one));
  }

  ValueId add(Op op, DType dtype, std::initializer_list<ValueId> operands) {
    Instruction one{.code = Code::compute, .op = op, .dtype = dtype};
    one.operands = operands;
    one.remark = {.name = info(op).name};
    return add(std::move(one));
  }

  /// Appends the result of a reduction over steps or a depth, which has no operands in `code`.
  ValueId add_result(const Instruction& reduce, StreamingFacts depends) {
    const ValueId id = add({.code = Code::reduce,
                            .op = reduce.op,
                            .dtype = reduce.dtype,
                            .where = reduce.where,
                            .remark = reduce.remark});
    form.facts.back() = depends;
    return id;
  }

  // Whether `loops` is one loop that indexes a local row in this stage.
  bool goes_over_steps(const Vector<Loop>& loops) const {
    if (loops.size() != 1 || !loops[0].variable.is_range()) return false;
    for (const ValueId id : stage->body) {
      const Instruction& one = kernel.instructions[id];
      if (is_local(kernel, one) && same(one.index, loops[0].variable)) return true;
    }
    return false;
  }

  Extent to_step(Extent extent) const {
    if (!merged_binds.empty()) extent = substitute(extent, merged_binds);
    if (loops_are_steps) extent = substitute(extent, stage->loops[0].variable, form.step.variable);
    if (!contracts_steps) return extent;
    return substitute(extent, stage->contracted[0].variable, form.step.variable);
  }

  bool find_row_and_step() {
    if (kernel.grid.empty() || !kernel.grid.back().variable.is_range()) return false;
    form.row = kernel.grid.back();
    for (std::size_t i = 0; i + 1 < kernel.grid.size(); ++i) {
      if (kernel.grid[i].variable.is_range()) form.batch.push_back(kernel.grid[i]);
    }
    for (const Stage& one : kernel.stages) {
      stage = &one;
      for (const Vector<Loop>* loops : {&one.loops, &one.contracted}) {
        if (!goes_over_steps(*loops)) continue;
        const Extent extent = loops->front().extent;
        if (has_step && !same(form.step.extent, extent)) return false;
        form.step = {Extent::range(next_range(kernel) + 1, extent), extent, 1};
        has_step = true;
      }
    }
    return has_step;
  }

  bool fits_on_chip(const Vector<Loop>& loops) const {
    Extent count = 1;
    for (const Loop& loop : loops) count *= loop.extent;
    return !loops.empty() && bounds(count).max <= limits.most_width;
  }

  // The two factors of the operand of a sum over `contracted`.
  bool factors_of(const Instruction& reduce, ValueId& left, ValueId& right) const {
    if (reduce.op != Op::sum) return false;
    const Instruction& product = at(moved[reduce.operands[0]]);
    if (product.code != Code::compute || product.op != Op::mul) return false;
    left = product.operands[0], right = product.operands[1];
    return true;
  }

  bool add_dot(ValueId id) {
    const Instruction& reduce = kernel.instructions[id];
    StreamingDot dot;
    if (!factors_of(reduce, dot.left, dot.right) || !fits_on_chip(stage->contracted)) return false;
    if (of(dot.left).step || of(dot.right).row) std::swap(dot.left, dot.right);
    if (of(dot.left).step || of(dot.right).row) return false;
    if (of(dot.left).reductions != 0 || of(dot.right).reductions != 0) return false;
    dot.depth = stage->contracted;
    dot.result = add_result(reduce, {.row = true, .step = true});
    moved[id] = dot.result;
    form.dots.push_back(std::move(dot));
    return true;
  }

  bool add_running_reduction(ValueId id) {
    const Instruction& reduce = kernel.instructions[id];
    const bool known = reduce.op == Op::sum || reduce.op == Op::max || reduce.op == Op::min ||
                       reduce.op == Op::prod;
    if (!known || form.reductions.size() == max_running_reductions) return false;
    RunningReduction running{.op = reduce.op};
    const bool scales = reduce.op == Op::sum && is_floating(reduce.dtype);
    const ValueId value = moved[reduce.operands[0]];
    const Factored found = assign_pass(value, scales, running.pass);
    running.value = found.core, running.running_max = found.running_max;
    running.rescale_base = found.rescale_base;
    const std::uint32_t bit = std::uint32_t{1} << form.reductions.size();
    running.result = add_result(reduce, {.row = true, .reductions = bit});
    form.passes = std::max(form.passes, running.pass + 1);
    form.reductions.push_back(running);
    moved[id] = with_factors(running.result, found, reduce.dtype);
    return true;
  }

  bool add_accumulator(ValueId id) {
    const Instruction& reduce = kernel.instructions[id];
    StreamingAccumulator sum{.columns = stage->loops};
    if (form.accumulators.size() == max_running_reductions) return false;
    if (!factors_of(reduce, sum.value, sum.right)) return false;
    if (of(sum.value).inner) std::swap(sum.value, sum.right);
    if (of(sum.value).inner || of(sum.right).row || of(sum.right).reductions != 0) return false;
    const Factored found = assign_pass(sum.value, true, sum.pass);
    sum.value = found.core, sum.running_max = found.running_max;
    sum.rescale_base = found.rescale_base;
    const std::uint32_t bit = std::uint32_t{1} << form.accumulators.size();
    sum.result = add_result(reduce, {.row = true, .inner = true, .accumulators = bit});
    form.passes = std::max(form.passes, sum.pass + 1);
    form.accumulators.push_back(std::move(sum));
    moved[id] = with_factors(form.accumulators.back().result, found, reduce.dtype);
    return true;
  }

  // Assigns reductions to passes over the steps, and row scalars to the end of a pass.

  // Factors row scalars that depend on the incomplete reductions `current` out of `id`, if
  // possible.
  Optional<Factored> factor(ValueId id, std::uint32_t current) {
    if ((of(id).reductions & current) == 0) return Factored{.core = id};
    if (!of(id).step || at(id).code != Code::compute) return {};
    return factor_compute(id, current);
  }

  // Whether `cast` may overflow unless its values are relative to their maximum.
  bool may_overflow(const Instruction& cast) const {
    const DType from = at(cast.operands[0]).dtype;
    return cast.op == Op::cast && from != cast.dtype && (cast.dtype == f16 || from == f64);
  }

  // Whether `id` depends on the step through random numbers alone.
  bool is_random(ValueId id) const {
    const Instruction& one = at(id);
    if (!of(id).step || one.code == Code::random) return true;
    return one.code == Code::compute &&
           all_of(one.operands, [&](ValueId operand) { return is_random(operand); });
  }

  Optional<Factored> factor_compute(ValueId id, std::uint32_t current) {
    const Instruction one = at(id);
    switch (one.op) {
      case Op::mul:
      case Op::div:
        return factor_product(id, current);
      case Op::exp:
        return factor_exp(id, current);
      case Op::select:
        return factor_select(id, current);
      case Op::cast:
      case Op::neg: {
        if (!is_floating(one.dtype) || !is_floating(at(one.operands[0]).dtype)) return {};
        auto result = factor(one.operands[0], current);
        if (!result || (may_overflow(one) && result->running_max < 0)) return {};
        Instruction core = one;
        core.operands = {result->core};
        result->core = add(std::move(core));
        return result;
      }
      default:
        return {};
    }
  }

  // exp(x - rescale_base), where only the base depends on a running maximum.
  Optional<Factored> factor_exp(ValueId id, std::uint32_t current) const {
    const Instruction& difference = at(at(id).operands[0]);
    if (difference.code != Code::compute || difference.op != Op::sub) return {};
    const ValueId rescale_base = difference.operands[1];
    if (of(rescale_base).step || (of(difference.operands[0]).reductions & current) != 0) return {};
    const std::uint32_t reductions = of(rescale_base).reductions & current;
    for (std::size_t i = 0; i < form.reductions.size(); ++i) {
      if (reductions != std::uint32_t{1} << i || form.reductions[i].op != Op::max) continue;
      const auto max = static_cast<std::int32_t>(i);
      return Factored{.core = id, .running_max = max, .rescale_base = rescale_base};
    }
    return {};
  }

  Optional<Factored> factor_product(ValueId id, std::uint32_t current) {
    Instruction one = at(id);
    ValueId a = one.operands[0], b = one.operands[1];
    const auto is_factor = [&](ValueId value) {
      return !of(value).step && (of(value).reductions & current) != 0;
    };
    if (!is_floating(one.dtype)) return {};
    const bool divides = one.op == Op::div;
    if (!divides && is_factor(a)) std::swap(a, b);
    if (is_factor(b)) {
      auto result = factor(a, current);
      if (!result) return {};
      result->factors.push_back(b);
      result->divisors.push_back(divides);
      return result;
    }
    const auto left = factor(a, current), right = factor(b, current);
    if (!left || !right || (left->running_max >= 0 && right->running_max >= 0)) return {};
    if (divides && (of(b).reductions & current) != 0) return {};
    Factored result = left->running_max >= 0 ? *left : *right;
    const Factored& other = left->running_max >= 0 ? *right : *left;
    result.factors.insert(result.factors.end(), other.factors.begin(), other.factors.end());
    result.divisors.insert(result.divisors.end(), other.divisors.begin(), other.divisors.end());
    one.operands = {left->core, right->core};
    result.core = add(std::move(one));
    return result;
  }

  // A select between a value and 0 with a random condition. A mask may exclude a whole row, which
  // has to stay 0 even if it is divided by 0 or NaN, so nothing is factored out of that.
  Optional<Factored> factor_select(ValueId id, std::uint32_t current) {
    Instruction one = at(id);
    if ((of(one.operands[0]).reductions & current) != 0 || !is_floating(one.dtype)) return {};
    if (!of(one.operands[0]).step || !is_random(one.operands[0])) return {};
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
      const Instruction& other = at(one.operands[3 - i]);
      if (other.code != Code::constant || other.constant.floating() != 0) continue;
      auto result = factor(one.operands[i], current);
      if (!result) return {};
      one.operands[i] = result->core;
      result->core = add(std::move(one));
      return result;
    }
    return {};
  }

  // Factors `value`, and finds the first pass that can reduce it. Only sums can be rescaled.
  Factored assign_pass(ValueId value, bool scales, int& pass) {
    const std::uint32_t reductions = of(value).reductions;
    std::uint32_t current = 0;
    pass = 0;
    for (std::size_t i = 0; i < form.reductions.size(); ++i) {
      if ((reductions >> i & 1) == 0) continue;
      if (form.reductions[i].pass > pass) pass = form.reductions[i].pass, current = 0;
      if (form.reductions[i].pass == pass) current |= std::uint32_t{1} << i;
    }
    if (current == 0) return {.core = value};
    if (scales) {
      if (auto found = factor(value, current)) return *std::move(found);
    }
    ++pass;
    return {.core = value};
  }

  ValueId with_factors(ValueId result, const Factored& factored, DType dtype) {
    for (std::size_t i = 0; i < factored.factors.size(); ++i) {
      const Op op = factored.divisors[i] ? Op::div : Op::mul;
      result = add(op, dtype, {result, factored.factors[i]});
    }
    return result;
  }

  bool add_reduce(ValueId id) {
    if (loops_are_steps) return stage->contracted.empty() ? add_running_reduction(id) : add_dot(id);
    return contracts_steps && add_accumulator(id);
  }

  bool add_store(Instruction one) {
    if (is_local(kernel, one)) {
      if (!loops_are_steps || !same(one.index, form.step.variable)) return false;
      local_values[one.argument] = one.operands[0];
      return true;
    }
    if (one.accumulate || loops_are_steps) return false;
    const std::uint32_t accumulators = of(one.operands[0]).accumulators;
    const ValueId id = add(std::move(one));
    if (accumulators == 0) {
      form.stores.push_back(id);
      return stage->loops.empty();
    }
    for (std::size_t i = 0; i < form.accumulators.size(); ++i) {
      if (accumulators != std::uint32_t{1} << i) continue;
      form.accumulators[i].stores.push_back(id);
      return true;
    }
    return false;
  }

  // The row scalar that was stored where `load` reads.
  ValueId stored(const Instruction& load) const {
    for (const ValueId id : form.stores) {
      const Instruction& store = at(id);
      const bool here = store.argument == load.argument && same(store.index, load.index);
      if (here && store.guards.empty() && load.guards.empty()) return store.operands[0];
    }
    return -1;
  }

  // The position of `id` among the checks of the kernel.
  std::int32_t check_index(ValueId id) const {
    return static_cast<std::int32_t>(
        std::count_if(kernel.instructions.begin(), kernel.instructions.begin() + id,
                      [](const Instruction& one) { return can_fault(one); }));
  }

  bool add_instruction(ValueId id) {
    Instruction one = kernel.instructions[id];
    if (one.code == Code::reduce) return add_reduce(id);
    const bool known = one.code == Code::load || one.code == Code::constant ||
                       one.code == Code::index || one.code == Code::inside ||
                       one.code == Code::compute || one.code == Code::random ||
                       one.code == Code::store || can_fault(one);
    if (!known) return false;
    if (can_fault(one)) one.source = check_index(id);
    one.index = to_step(one.index);
    for (Guard& guard : one.guards) {
      guard = {to_step(guard.value), to_step(guard.low), to_step(guard.high)};
    }
    for (ValueId& operand : one.operands) operand = moved[operand];
    if (one.code == Code::store) return add_store(std::move(one));
    if (is_local(kernel, one)) {
      const ValueId value = local_values[one.argument];
      if (value < 0 || !one.guards.empty() || !same(one.index, form.step.variable)) return false;
      moved[id] = value;
      return true;
    }
    const bool written =
        one.code == Code::load && kernel.arguments[one.argument].access != Access::read;
    if (written) {
      const ValueId value = stored(one);
      moved[id] = value;
      return value >= 0;
    }
    const Extent variable = one.variable;
    const bool binds = one.code == Code::bind;
    const ValueId there = add(std::move(one));
    moved[id] = there;
    if (binds && !same(at(there).variable, variable)) {
      merged_binds.emplace_back(variable, at(there).variable);
    }
    return true;
  }

  bool add_stage(const Stage& one) {
    stage = &one;
    loops_are_steps = goes_over_steps(one.loops);
    contracts_steps = !loops_are_steps && goes_over_steps(one.contracted);
    if (!loops_are_steps && !contracts_steps && !one.loops.empty()) return false;
    if (contracts_steps && !fits_on_chip(one.loops)) return false;
    for (const ValueId id : one.body) {
      if (!add_instruction(id)) return false;
    }
    return true;
  }

  // Whether every loop over the steps ends where `clip` says.
  bool clips_every_step_loop(const Clip& clip) const {
    for (std::size_t s = 0; s < kernel.stages.size(); ++s) {
      bool reduces = false;
      for (const ValueId id : kernel.stages[s].body) {
        reduces = reduces || kernel.instructions[id].code == Code::reduce;
      }
      if (!reduces || clip.loops[s] || clip.contracted[s]) continue;
      const Stage& one = kernel.stages[s];
      const bool is_dot = one.loops.size() == 1 && !one.contracted.empty() &&
                          same(one.loops[0].extent, form.step.extent);
      if (!is_dot) return false;
    }
    return true;
  }

  // Whether every check is needed by a result; a check that only guards unused values would not
  // run.
  bool checks_are_needed() const {
    const Vector<Instruction>& all = form.code.instructions;
    Vector<bool> needed(all.size(), false);
    const auto need = [&](ValueId id) { needed[id] = true; };
    for (const StreamingDot& dot : form.dots) need(dot.left), need(dot.right);
    for (const RunningReduction& running : form.reductions) need(running.value);
    for (const StreamingAccumulator& sum : form.accumulators) need(sum.value), need(sum.right);
    for (std::size_t id = all.size(); id-- > 0;) {  // operands and binds come before their users
      const Instruction& one = all[id];
      if (!needed[id] && one.code != Code::store) {
        if (can_fault(one)) return false;
        continue;
      }
      for (const ValueId operand : one.operands) need(operand);
      for_each_variable(one, [&](Extent variable) {
        if (const ValueId bind = bind_of(form.code, variable); bind >= 0) need(bind);
      });
    }
    return true;
  }

  // The checks that run for all steps; nothing if one depends on scores, or on more than row or
  // step.
  Optional<Vector<ValueId>> separate_checks() const {
    const Vector<Instruction>& all = form.code.instructions;
    Vector<bool> reduced(all.size(), false);
    Vector<ValueId> result;
    for (std::size_t id = 0; id < all.size(); ++id) {
      const Instruction& one = all[id];
      reduced[id] = one.code == Code::reduce;
      for (const ValueId operand : one.operands) {
        reduced[id] = reduced[id] || reduced[operand];
      }
      for_each_variable(one, [&](Extent variable) {
        const ValueId bind = bind_of(form.code, variable);
        reduced[id] = reduced[id] || (bind >= 0 && reduced[bind]);
      });
      if (!can_fault(one)) continue;
      if (reduced[id] || (form.facts[id].inner && form.facts[id].step)) return {};
      if (!form.facts[id].inner) result.push_back(static_cast<ValueId>(id));
    }
    return result;
  }

  Optional<StreamingForm> run() {
    const bool plain = is_row_tiled(kernel) && !kernel.serial && kernel.finalizers.empty();
    if (!plain || !find_row_and_step()) return {};
    form.code.name = kernel.name;
    form.code.arguments = kernel.arguments;
    form.code.symbols = kernel.symbols;
    form.code.checks_before = kernel.checks_before;
    form.code.stages.resize(1);
    for (const Stage& one : kernel.stages) {
      if (!add_stage(one)) return {};
    }
    if (form.dots.empty() || !set_common_dtype(form) || !checks_are_needed()) return {};
    auto checks = separate_checks();
    const Clip clip = checks ? clip_of(kernel, true) : Clip{};
    if (clip.found && clips_every_step_loop(clip)) {
      form.end = clip.end, form.before = clip.before;
      form.checks = *std::move(checks);
    }
    return std::move(form);
  }
};

}  // namespace detail

SINTER_INLINE ValueId bind_of(const Kernel& code, Extent variable) {
  for (std::size_t id = 0; id < code.instructions.size(); ++id) {
    const Instruction& one = code.instructions[id];
    if (one.code == Code::bind && same(one.variable, variable)) return static_cast<ValueId>(id);
  }
  return -1;
}

SINTER_INLINE Optional<StreamingForm> streaming_form(const Kernel& kernel,
                                                     const StreamingLimits& limits) {
  return detail::Streamer(kernel, limits).run();
}

SINTER_INLINE bool set_common_dtype(StreamingForm& form) {
  const auto dtype = [&](ValueId id) { return form.code.instructions[id].dtype; };
  form.dtype = dtype(form.dots[0].result);
  bool is_common = form.dtype == f32 || form.dtype == f64;
  const auto add = [&](ValueId id) { is_common = is_common && dtype(id) == form.dtype; };
  for (const StreamingDot& dot : form.dots) add(dot.left), add(dot.right), add(dot.result);
  for (const StreamingAccumulator& sum : form.accumulators) {
    add(sum.value), add(sum.right), add(sum.result);
  }
  for (const RunningReduction& reduction : form.reductions) add(reduction.result);
  return is_common;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
