#pragma once

// The stages of a block, one after the other: what they keep in local rows is no memory any more.

#include <sinter/schedule/stream.hpp>

namespace sinter::inline SINTER_ABI::schedule::detail {

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

SINTER_INLINE bool Streamer::add_instruction(ValueId id) {
  Instruction one = whole.instructions[static_cast<std::size_t>(id)];
  if (one.code == Code::reduce) return add_reduce(id);
  const bool known = one.code == Code::load || one.code == Code::constant ||
                     one.code == Code::index || one.code == Code::inside ||
                     one.code == Code::compute || one.code == Code::random ||
                     one.code == Code::store;
  if (!known) return false;
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
  moved[static_cast<std::size_t>(id)] = add(std::move(one));
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
  if (form.dots.empty()) return {};
  const Clip clip = clip_of(whole);
  if (clip.found && clips_all(clip)) form.end = clip.end, form.before = clip.before;
  return std::move(form);
}

}  // namespace sinter::inline SINTER_ABI::schedule::detail
