#pragma once

// How threads share rows, and what of a row is read and written at once.

#include <algorithm>  // std::find, std::max, std::min, std::none_of

#include <sinter/codegen/cuda_rows.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/proof.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// Of each row: enough to keep the memory busy, and few enough registers for many threads.
inline constexpr int packs_of_thread = 2, elements_of_thread = 8;
inline constexpr int few_part_words = 32, most_part_words = 64;
// Short rows share a block of so many threads; long ones have so many where that is enough.
inline constexpr int threads_of_rows = 128, threads_of_row = 256, many_threads = 512;
// Of a block of more threads than these, each has 64 registers in all.
inline constexpr int most_threads = 1024, most_words_of_many = 20;
inline constexpr int many_of_stage = 40;  // instructions, which need the registers of few threads

}  // namespace detail

SINTER_INLINE bool CudaRows::shares_loop(int stage) const {
  return by_rows_ && !layout_.stages[static_cast<std::size_t>(stage)].empty();
}

// Whether `id` reads or writes a row, element by element, in a loop that threads share.
SINTER_INLINE bool CudaRows::is_row_access(ValueId id) const {
  const Instruction& one = at(id);
  if (one.code != Code::load && one.code != Code::store && one.code != Code::combine) return false;
  const Dependence& value = dependence(id);
  const auto& loops = layout_.stages[static_cast<std::size_t>(value.stage)];
  const int depth = layout_.grid_depth() + static_cast<int>(loops.size());
  return !loops.empty() && value.depth == depth && !one.accumulate && are_neighbours(id) &&
         is_unguarded(id);
}

// Whether `id` may read before its stage computes, or write after it: nothing there is between.
SINTER_INLINE bool CudaRows::may_be_moved(ValueId id) const {
  const bool stores = at(id).code == Code::store;
  const auto& body = layout_.kernel.stages[static_cast<std::size_t>(dependence(id).stage)].body;
  return std::none_of(body.begin(), body.end(), [&](ValueId other) {
    return other != id && at(other).argument == at(id).argument &&
           (stores || at(other).code == Code::store);
  });
}

SINTER_INLINE int CudaRows::last_position(int stage) const {
  const auto& loops = layout_.stages[static_cast<std::size_t>(stage)];
  return layout_.grid_depth() + static_cast<int>(loops.size()) - 1;
}

// Sums that are rounded once, in the order of the elements.
SINTER_INLINE bool CudaRows::is_ordered(ValueId id) const {
  const bool rounds = at(id).op == Op::sum || at(id).op == Op::prod;
  return strict_ && at(id).code == Code::reduce && rounds && is_floating(at(id).dtype);
}

SINTER_INLINE bool CudaRows::has_ordered() const {
  for (const schedule::Stage& stage : layout_.kernel.stages) {
    for (const ValueId id : stage.body) {
      if (is_ordered(id) && shares_loop(dependence(id).stage)) return true;
    }
  }
  return false;
}

// Whether all stages with loops go over one and the same row, whose length is known, and local rows
// are read and written only there, each element by the thread whose it is.
SINTER_INLINE bool CudaRows::has_plain_rows() const {
  if (!length_.is_number()) return false;
  for (const std::vector<Loop>& loops : layout_.stages) {
    if (loops.size() > 1 || (!loops.empty() && !same(loops[0].extent, length_))) return false;
  }
  for (std::size_t i = 0; i < layout_.kernel.instructions.size(); ++i) {
    const Instruction& one = layout_.kernel.instructions[i];
    if (one.code != Code::load && one.code != Code::store) continue;
    if (argument(one).access != Access::local) continue;
    const auto id = static_cast<ValueId>(i);
    const auto& loops = layout_.stages[static_cast<std::size_t>(dependence(id).stage)];
    if (loops.empty() || !same(one.index, loops[0].variable) || !is_row_access(id)) return false;
  }
  return true;
}

// Whether all rows of the grid read the same, which is near after the first of them.
SINTER_INLINE bool CudaRows::is_near(ValueId id) const {
  const LoopSet grid = loop_at(layout_.grid_depth()) - 1;
  return (layout_.loops_of(at(id).index, dependence(id).stage) & grid) == 0;
}

// Whether a pack of `one` is enough at once: of what is near, and of what is written.
SINTER_INLINE bool CudaRows::may_pass(const Part& one) {
  return one.access >= 0 && (one.stored || one.combined || one.near);
}

// Whether a thread has but a pack of `one` at once. In a part of a row, what is near is read with
// the rest.
SINTER_INLINE bool CudaRows::passes(const Part& one) const {
  return share_.steps > 1 && may_pass(one) && (!one.near || in_registers());
}

SINTER_INLINE bool CudaRows::passes(const Part& one, int stage) const {
  return passes(one) && std::find(one.stages.begin(), one.stages.end(), stage) != one.stages.end();
}

// What is read from memory is read at once, so that no thread waits twice, but for what stands
// where something that was read says.
SINTER_INLINE int CudaRows::first_stage(ValueId id, bool whole) const {
  const int stage = dependence(id).stage;
  if (!whole || at(id).code != Code::load || argument(at(id)).access == Access::local) return stage;
  for (const Extent variable : variables(at(id).index)) {
    if (layout_.bind_of(variable) >= 0) return stage;
  }
  int first = 0;
  while (layout_.stages[static_cast<std::size_t>(first)].empty()) ++first;
  return first;
}

// What reads the same elements shares registers: in all stages where a thread has `whole` rows,
// else in one.
SINTER_INLINE void CudaRows::find_parts(bool whole) {
  held_.clear();
  part_of_.assign(layout_.kernel.instructions.size(), -1);
  std::vector<Extent> places;  // of each part: its index, with one variable for all stages
  Extent element = 0;
  for (std::size_t number = 0; number < layout_.stages.size(); ++number) {
    const int stage = static_cast<int>(number);
    for (const ValueId id : layout_.kernel.stages[number].body) {
      if (!is_row_access(id)) continue;
      const schedule::Argument& of = argument(at(id));
      const bool local = whole && of.access == Access::local, stored = at(id).code == Code::store;
      const bool combined = at(id).code == Code::combine;
      if (!local && !may_be_moved(id)) continue;
      if (!local && !stored && !combined && whole && of.access != Access::read) continue;
      const Extent variable = layout_.vector_variable(stage);
      if (same(element, 0)) element = variable;
      const Extent place = substitute(at(id).index, variable, element);
      std::size_t i = 0;
      for (; i < held_.size(); ++i) {
        const Part& one = held_[i];
        const bool same_row = local ? one.name == argument_name(at(id).argument)
                                    : one.access >= 0 && !stored && !one.stored &&
                                          at(one.access).argument == at(id).argument &&
                                          same(places[i], place);
        if (same_row && (whole || one.stage == stage)) break;
      }
      if (i == held_.size()) {
        const std::string name =
            local ? argument_name(at(id).argument) : text(stored ? "y" : "x", id);
        const bool near = !stored && !combined && !layout_.grid.empty() && is_near(id);
        held_.push_back(
            {name, local ? -1 : id, first_stage(id, whole), of.dtype, stored, near, combined});
        places.push_back(place);
      }
      held_[i].stages.push_back(stage);
      part_of_[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(i);
      layout_.values[static_cast<std::size_t>(id)].has_base = false;
    }
  }
}

// 16 bytes of the widest of the rows in memory; what all rows share, as gains, is near anyway.
SINTER_INLINE int CudaRows::widest_lanes() const {
  std::size_t own = 0, any = 0;
  for (const schedule::Stage& stage : layout_.kernel.stages) {
    for (const ValueId id : stage.body) {
      if (!is_row_access(id) || argument(at(id)).access == Access::local) continue;
      if (at(id).code == Code::combine) continue;
      const std::size_t size = info(argument(at(id)).dtype).size;
      any = std::max(any, size);
      if (!is_near(id)) own = std::max(own, size);
    }
  }
  const std::size_t widest = own != 0 ? own : any;
  return widest == 0 ? 1 : static_cast<int>(16 / std::max<std::size_t>(widest, 2));
}

// Some packs of 16 bytes, or as many elements where rows begin anywhere.
SINTER_INLINE int CudaRows::steps_at_once() const {
  const int elements =
      std::min(detail::packs_of_thread * widest_lanes(), detail::elements_of_thread);
  return std::max(1, elements / share_.lanes);
}

SINTER_INLINE void CudaRows::share_rows() {
  std::int64_t most = 1;
  bool divides = true;
  ordered_ = has_ordered();
  share_ = {.lanes = ordered_ ? 1 : widest_lanes()};
  for (const std::vector<Loop>& loops : layout_.stages) {
    if (loops.empty()) continue;
    length_ = loops.back().extent;
    most = std::max(most, bounds(length_).max);
    while (share_.lanes > 1 && length_.is_number() && length_.number() % share_.lanes != 0) {
      share_.lanes /= 2;  // rows begin at any element
    }
    divides = divides && proven_divisible(length_, share_.lanes);
  }
  const bool plain = has_plain_rows() && length_.number() > 0;
  if (plain) share_known(length_.number(), true);
  if (plain && !in_registers()) share_known(length_.number(), false);
  if (!in_registers()) share_any(most);
}

// Few threads for a short row, so that a warp has several; a warp, or a block for a long one. Fewer
// threads have more of it if what passes by is not counted.
SINTER_INLINE void CudaRows::share_known(std::int64_t length, bool passing) {
  find_parts(true);
  const int lanes = share_.lanes;
  const std::int64_t packs = (length + lanes - 1) / lanes;
  const auto fits = [&](std::int64_t more, int words = detail::most_part_words) {
    return more <= detail::most_threads &&
           part_words(static_cast<int>(more) * lanes, true, passing) <= words;
  };
  std::int64_t steps = steps_at_once();
  while (steps > 1 && !fits(steps, detail::few_part_words)) steps /= 2;
  const bool alone = layout_.grid.empty();
  std::int64_t threads = alone || ordered_ ? 32 : 1;
  const std::int64_t asked = std::max(tuning_.row_threads, 1);
  const bool tuned =
      tuning_.row_threads >= threads && !ordered_ && fits((packs + asked - 1) / asked);
  while (threads < 32 && threads * steps < packs) threads *= 2;
  if (packs > threads * steps && packs <= threads * steps * 2 &&
      fits(2 * steps, detail::few_part_words)) {
    steps *= 2;  // two rounds of a warp rather than a block
  }
  if (tuned) threads = asked, steps = (packs + asked - 1) / asked;
  if (packs > threads * steps && ordered_) {
    steps = (packs + threads - 1) / threads;
  } else if (packs > threads * steps) {
    while (packs > steps * detail::threads_of_row && fits(2 * steps)) steps *= 2;
    threads = ((packs + steps - 1) / steps + 31) / 32 * 32;
  }
  if (!fits(steps) || threads > detail::most_threads) return;
  const int words = part_words(static_cast<int>(steps) * lanes, true);
  if (threads > detail::many_threads && words > detail::most_words_of_many) return;
  const auto number = [](std::int64_t value) { return static_cast<int>(value); };
  if (!leaves_registers(number(threads), number(steps))) return;
  const std::int64_t rows = alone || threads > 32 ? 1 : detail::threads_of_rows / threads;
  share_ = {number(threads), number(rows), lanes, number((packs + threads - 1) / threads), true};
}

// Rows of any length, or longer than registers: as many steps as it takes.
SINTER_INLINE void CudaRows::share_any(std::int64_t most) {
  find_parts(false);
  share_.steps = steps_at_once();
  const auto fits = [&] {
    const int words = part_words(share_.steps * share_.lanes, false);
    return words * widest_words() <= detail::most_part_words;
  };
  while (share_.steps > 1 && !fits()) share_.steps /= 2;
  if (ordered_) return;
  const std::int64_t packs = most / share_.lanes / share_.steps;
  const int words = stage_words(share_.steps * share_.lanes) * widest_words();
  const bool light =
      words <= detail::few_part_words && longest_stage() * widest_words() <= detail::many_of_stage;
  const int enough = light ? detail::many_threads : detail::threads_of_row;
  const int limit = most != unbounded && packs > 4096 ? enough : detail::threads_of_row;
  while (share_.threads < limit && share_.threads < packs) share_.threads *= 2;
  const int asked = tuning_.row_threads;
  if (asked >= 32 && asked <= enough) share_.threads = asked;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
