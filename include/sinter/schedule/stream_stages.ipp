#pragma once

// The stages of a block, one after the other: what they keep in local rows is no memory any more.

#include <algorithm>  // std::count_if

#include <sinter/schedule/stream.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

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
