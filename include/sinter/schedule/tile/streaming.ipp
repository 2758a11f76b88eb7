#pragma once

#include <algorithm>  // std::all_of, std::count_if, std::max
#include <utility>    // std::move, std::pair, std::swap

#include <sinter/schedule/analysis/row_limits.hpp>
#include <sinter/schedule/loop/clip.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/schedule/tile/streaming.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

// A block kernel without its local rows: what is stored in one stage and loaded in another is the
// same number there, computed again where it is needed.

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

// In which pass over the steps totals are taken, and what of them can be left for the end of it.

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

// `id` without the numbers of the row by which it is multiplied or divided, as far as these depend
// on the totals `current`, which are not known yet; nothing if it depends on them otherwise.
SINTER_INLINE std::optional<Stripped> Streamer::strip(ValueId id, std::uint32_t current) {
  if ((of(id).totals & current) == 0) return Stripped{.core = id};
  if (!of(id).step || at(id).code != Code::compute) return {};
  return strip_compute(id, current);
}

// Whether `cast` has numbers too large for its type unless they are relative to the largest.
SINTER_INLINE bool Streamer::narrows(const Instruction& cast) const {
  const DType from = at(cast.operands[0]).dtype;
  return cast.op == Op::cast && from != cast.dtype && (cast.dtype == f16 || from == f64);
}

SINTER_INLINE std::optional<Stripped> Streamer::strip_compute(ValueId id, std::uint32_t current) {
  const Instruction one = at(id);
  switch (one.op) {
    case Op::mul:
    case Op::div:
      return strip_product(id, current);
    case Op::exp:
      return strip_exp(id, current);
    case Op::select:
      return strip_select(id, current);
    case Op::cast:
    case Op::neg: {
      if (!is_floating(one.dtype) || !is_floating(at(one.operands[0]).dtype)) return {};
      auto result = strip(one.operands[0], current);
      if (!result || (narrows(one) && result->peak < 0)) return {};
      Instruction core = one;
      core.operands = {result->core};
      result->core = add(std::move(core));
      return result;
    }
    default:
      return {};
  }
}

// exp(x - shift), where the shift alone depends on a total that can only grow.
SINTER_INLINE std::optional<Stripped> Streamer::strip_exp(ValueId id, std::uint32_t current) const {
  const Instruction& difference = at(at(id).operands[0]);
  if (difference.code != Code::compute || difference.op != Op::sub) return {};
  const ValueId shift = difference.operands[1];
  if (of(shift).step || (of(difference.operands[0]).totals & current) != 0) return {};
  const std::uint32_t totals = of(shift).totals & current;
  for (std::size_t i = 0; i < form.totals.size(); ++i) {
    if (totals != std::uint32_t{1} << i || form.totals[i].op != Op::max) continue;
    return Stripped{.core = id, .peak = static_cast<std::int32_t>(i), .shift = shift};
  }
  return {};
}

SINTER_INLINE std::optional<Stripped> Streamer::strip_product(ValueId id, std::uint32_t current) {
  Instruction one = at(id);
  ValueId a = one.operands[0], b = one.operands[1];
  const auto is_factor = [&](ValueId value) {
    return !of(value).step && (of(value).totals & current) != 0;
  };
  if (!is_floating(one.dtype)) return {};
  const bool divides = one.op == Op::div;
  if (!divides && is_factor(a)) std::swap(a, b);
  if (is_factor(b)) {
    auto result = strip(a, current);
    if (!result) return {};
    result->factors.push_back(b);
    result->divisors.push_back(divides);
    return result;
  }
  const auto left = strip(a, current), right = strip(b, current);
  if (!left || !right || (left->peak >= 0 && right->peak >= 0)) return {};
  if (divides && (of(b).totals & current) != 0) return {};
  Stripped result = left->peak >= 0 ? *left : *right;
  const Stripped& other = left->peak >= 0 ? *right : *left;
  result.factors.insert(result.factors.end(), other.factors.begin(), other.factors.end());
  result.divisors.insert(result.divisors.end(), other.divisors.begin(), other.divisors.end());
  one.operands = {left->core, right->core};
  result.core = add(std::move(one));
  return result;
}

// Whether random numbers alone make `id` another one in each step.
SINTER_INLINE bool Streamer::is_random(ValueId id) const {
  const Instruction& one = at(id);
  if (!of(id).step || one.code == Code::random) return true;
  return one.code == Code::compute &&
         std::all_of(one.operands.begin(), one.operands.end(),
                     [&](ValueId operand) { return is_random(operand); });
}

// Of a choice between something and 0. What is chosen at random is chosen in some step; a mask may
// leave out a whole row, in order that it is 0 where what it is divided by is 0 or no number.
SINTER_INLINE std::optional<Stripped> Streamer::strip_select(ValueId id, std::uint32_t current) {
  Instruction one = at(id);
  if ((of(one.operands[0]).totals & current) != 0 || !is_floating(one.dtype)) return {};
  if (!of(one.operands[0]).step || !is_random(one.operands[0])) return {};
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    const Instruction& other = at(one.operands[3 - i]);
    if (other.code != Code::constant || other.constant.floating() != 0) continue;
    auto result = strip(one.operands[i], current);
    if (!result) return {};
    one.operands[i] = result->core;
    result->core = add(std::move(one));
    return result;
  }
  return {};
}

// What is added up of `value`, and the first pass in which that can be. Only sums can be scaled.
SINTER_INLINE Stripped Streamer::placed(ValueId value, bool scales, int& pass) {
  const std::uint32_t totals = of(value).totals;
  std::uint32_t current = 0;
  pass = 0;
  for (std::size_t i = 0; i < form.totals.size(); ++i) {
    if ((totals >> i & 1) == 0) continue;
    if (form.totals[i].pass > pass) pass = form.totals[i].pass, current = 0;
    if (form.totals[i].pass == pass) current |= std::uint32_t{1} << i;
  }
  if (current == 0) return {.core = value};
  if (scales) {
    if (auto found = strip(value, current)) return *std::move(found);
  }
  ++pass;
  return {.core = value};
}

SINTER_INLINE ValueId Streamer::with_factors(ValueId result, const Stripped& stripped,
                                             DType dtype) {
  for (std::size_t i = 0; i < stripped.factors.size(); ++i) {
    const Op op = stripped.divisors[i] ? Op::div : Op::mul;
    result = add(op, dtype, {result, stripped.factors[i]});
  }
  return result;
}

SINTER_INLINE bool Streamer::add_total(ValueId id) {
  const Instruction& reduce = whole.instructions[static_cast<std::size_t>(id)];
  const bool known =
      reduce.op == Op::sum || reduce.op == Op::max || reduce.op == Op::min || reduce.op == Op::prod;
  if (!known || form.totals.size() == most_stream_totals) return false;
  StreamTotal total{.op = reduce.op};
  const bool scales = reduce.op == Op::sum && is_floating(reduce.dtype);
  const ValueId value = moved[static_cast<std::size_t>(reduce.operands[0])];
  const Stripped found = placed(value, scales, total.pass);
  total.value = found.core, total.peak = found.peak, total.shift = found.shift;
  const std::uint32_t bit = std::uint32_t{1} << form.totals.size();
  total.result = add_result(reduce, {.row = true, .totals = bit});
  form.passes = std::max(form.passes, total.pass + 1);
  form.totals.push_back(total);
  moved[static_cast<std::size_t>(id)] = with_factors(total.result, found, reduce.dtype);
  return true;
}

SINTER_INLINE bool Streamer::add_sum(ValueId id) {
  const Instruction& reduce = whole.instructions[static_cast<std::size_t>(id)];
  StreamSum sum{.columns = stage->loops};
  if (!factors_of(reduce, sum.value, sum.right) || form.sums.size() == most_stream_totals) {
    return false;
  }
  if (of(sum.value).inner) std::swap(sum.value, sum.right);
  if (of(sum.value).inner || of(sum.right).row || of(sum.right).totals != 0) return false;
  const Stripped found = placed(sum.value, true, sum.pass);
  sum.value = found.core, sum.peak = found.peak, sum.shift = found.shift;
  const std::uint32_t bit = std::uint32_t{1} << form.sums.size();
  sum.result = add_result(reduce, {.row = true, .inner = true, .sums = bit});
  form.passes = std::max(form.passes, sum.pass + 1);
  form.sums.push_back(std::move(sum));
  moved[static_cast<std::size_t>(id)] = with_factors(form.sums.back().result, found, reduce.dtype);
  return true;
}

// The stages of a block, one after the other: what they keep in local rows is no memory any more.

SINTER_INLINE bool Streamer::add_reduce(ValueId id) {
  if (streams_loops) return stage->contracted.empty() ? add_total(id) : add_dot(id);
  return streams_contracted && add_sum(id);
}

SINTER_INLINE bool Streamer::add_store(Instruction one) {
  if (is_local(one)) {
    if (!streams_loops || !same(one.index, form.step.variable)) return false;
    kept[static_cast<std::size_t>(one.argument)] = one.operands[0];
    return true;
  }
  if (one.accumulate || streams_loops) return false;
  const std::uint32_t sums = of(one.operands[0]).sums;
  const ValueId id = add(std::move(one));
  if (sums == 0) {
    form.stores.push_back(id);
    return stage->loops.empty();
  }
  for (std::size_t i = 0; i < form.sums.size(); ++i) {
    if (sums == std::uint32_t{1} << i) {
      form.sums[i].stores.push_back(id);
      return true;
    }
  }
  return false;
}

// What was stored as a number of the row where `load` reads.
SINTER_INLINE ValueId Streamer::stored(const Instruction& load) const {
  for (const ValueId id : form.stores) {
    const Instruction& store = at(id);
    const bool here = store.argument == load.argument && same(store.index, load.index);
    if (here && store.guards.empty() && load.guards.empty()) return store.operands[0];
  }
  return -1;
}

// Which of the checks of the kernel `id` is.
SINTER_INLINE std::int32_t Streamer::check_number(ValueId id) const {
  return static_cast<std::int32_t>(
      std::count_if(whole.instructions.begin(), whole.instructions.begin() + id,
                    [](const Instruction& one) { return can_fault(one); }));
}

SINTER_INLINE bool Streamer::add_instruction(ValueId id) {
  Instruction one = whole.instructions[static_cast<std::size_t>(id)];
  if (one.code == Code::reduce) return add_reduce(id);
  const bool known = one.code == Code::load || one.code == Code::constant ||
                     one.code == Code::index || one.code == Code::inside ||
                     one.code == Code::compute || one.code == Code::random ||
                     one.code == Code::store || can_fault(one);
  if (!known) return false;
  if (can_fault(one)) one.source = check_number(id);
  one.index = in_step(one.index);
  for (Guard& guard : one.guards) {
    guard = {in_step(guard.value), in_step(guard.low), in_step(guard.high)};
  }
  for (ValueId& operand : one.operands) operand = moved[static_cast<std::size_t>(operand)];
  if (one.code == Code::store) return add_store(std::move(one));
  if (is_local(one)) {
    const ValueId value = kept[static_cast<std::size_t>(one.argument)];
    if (value < 0 || !one.guards.empty() || !same(one.index, form.step.variable)) return false;
    moved[static_cast<std::size_t>(id)] = value;
    return true;
  }
  const bool written =
      one.code == Code::load &&
      whole.arguments[static_cast<std::size_t>(one.argument)].access != Access::read;
  if (written) {
    const ValueId value = stored(one);
    moved[static_cast<std::size_t>(id)] = value;
    return value >= 0;
  }
  const Extent variable = one.variable;
  const bool binds = one.code == Code::bind;
  const ValueId there = add(std::move(one));
  moved[static_cast<std::size_t>(id)] = there;
  if (binds && !same(at(there).variable, variable)) {
    bound.emplace_back(variable, at(there).variable);
  }
  return true;
}

SINTER_INLINE bool Streamer::add_stage(const Stage& one) {
  stage = &one;
  streams_loops = is_streamed(one.loops);
  streams_contracted = !streams_loops && is_streamed(one.contracted);
  if (!streams_loops && !streams_contracted && !one.loops.empty()) return false;
  if (streams_contracted && !narrow_enough(one.loops)) return false;
  for (const ValueId id : one.body) {
    if (!add_instruction(id)) return false;
  }
  return true;
}

// Whether all that goes along the steps ends where `clip` says.
SINTER_INLINE bool Streamer::clips_all(const Clip& clip) const {
  for (std::size_t s = 0; s < whole.stages.size(); ++s) {
    bool reduces = false;
    for (const ValueId id : whole.stages[s].body) {
      reduces = reduces || whole.instructions[static_cast<std::size_t>(id)].code == Code::reduce;
    }
    if (!reduces || clip.loops[s] || clip.contracted[s]) continue;
    const Stage& one = whole.stages[s];
    const bool is_dot = one.loops.size() == 1 && !one.contracted.empty() &&
                        same(one.loops[0].extent, form.step.extent);
    if (!is_dot) return false;
  }
  return true;
}

// Whether all that can be at fault is computed: not what gives a number that nothing needs.
SINTER_INLINE bool Streamer::reaches_checks() const {
  const std::vector<Instruction>& all = form.code.instructions;
  std::vector<bool> needed(all.size(), false);
  const auto need = [&](ValueId id) { needed[static_cast<std::size_t>(id)] = true; };
  for (const StreamDot& dot : form.dots) need(dot.left), need(dot.right);
  for (const StreamTotal& total : form.totals) need(total.value);
  for (const StreamSum& sum : form.sums) need(sum.value), need(sum.right);
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

// The checks that steps without effect have as well; nothing if what they look at is computed from
// scores, or for more than a row and a step.
SINTER_INLINE std::optional<std::vector<ValueId>> Streamer::checks_apart() const {
  const std::vector<Instruction>& all = form.code.instructions;
  std::vector<bool> reduced(all.size(), false);
  std::vector<ValueId> result;
  for (std::size_t id = 0; id < all.size(); ++id) {
    const Instruction& one = all[id];
    reduced[id] = one.code == Code::reduce;
    for (const ValueId operand : one.operands) {
      reduced[id] = reduced[id] || reduced[static_cast<std::size_t>(operand)];
    }
    for_each_variable(one, [&](Extent variable) {
      const ValueId bind = bind_of(form.code, variable);
      reduced[id] = reduced[id] || (bind >= 0 && reduced[static_cast<std::size_t>(bind)]);
    });
    if (!can_fault(one)) continue;
    if (reduced[id] || (form.facts[id].inner && form.facts[id].step)) return {};
    if (!form.facts[id].inner) result.push_back(static_cast<ValueId>(id));
  }
  return result;
}

SINTER_INLINE std::optional<StreamForm> Streamer::run() {
  const bool plain = is_block(whole) && !whole.serial && whole.finish.empty();
  if (!plain || !find_loops()) return {};
  form.code.name = whole.name;
  form.code.arguments = whole.arguments;
  form.code.symbols = whole.symbols;
  form.code.checks_before = whole.checks_before;
  form.code.stages.resize(1);
  for (const Stage& one : whole.stages) {
    if (!add_stage(one)) return {};
  }
  if (form.dots.empty() || !reaches_checks()) return {};
  auto checks = checks_apart();
  const Clip clip = checks ? clip_of(whole, true) : Clip{};
  if (clip.found && clips_all(clip)) {
    form.end = clip.end, form.before = clip.before;
    form.checks = *std::move(checks);
  }
  return std::move(form);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
