#pragma once
// Buffer reuse: which results may be written over an operand that is no longer needed.

#include <algorithm>  // std::count, std::max
#include <cstddef>    // std::size_t
#include <cstdint>    // std::int32_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The first and the last launch that use a buffer; -1 if none does.
struct Lifetime {
  std::int32_t first = -1, last = -1;
};

namespace detail {

// Where an instruction stands in its kernel.
struct BodyPosition {
  std::size_t stage = 0, position = 0;
};

inline Vector<BodyPosition> positions_of(const Kernel& kernel) {
  Vector<BodyPosition> result(kernel.instructions.size());
  for (std::size_t stage = 0; stage < kernel.stages.size(); ++stage) {
    const Vector<ValueId>& body = kernel.stages[stage].body;
    for (std::size_t i = 0; i < body.size(); ++i) {
      result[body[i]] = {stage, i};
    }
  }
  return result;
}

// `index`, in terms of the loops `from`, for the same iteration of the loops `to`; unchanged if
// their extents differ.
inline Extent in_loops(Extent index, const Vector<Loop>& from, const Vector<Loop>& to) {
  if (from.size() != to.size()) return index;
  Substitutions variables;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!same(from[i].extent, to[i].extent)) return index;
    variables.emplace_back(from[i].variable, to[i].variable);
  }
  return substitute(index, variables);
}

// The store to `to`, if it is the only use of it and writes each element once; else -1.
inline ValueId only_store(const Kernel& kernel, std::int32_t to) {
  ValueId result = -1;
  for (std::size_t id = 0; id < kernel.instructions.size(); ++id) {
    const Instruction& one = kernel.instructions[id];
    if (one.argument != to && one.source != to) continue;
    const bool plain = one.code == Code::store && !one.accumulate && one.guards.empty();
    if (!plain || result >= 0) return -1;
    result = static_cast<ValueId>(id);
  }
  return result;
}

// Whether each grid point loads only the elements that its own store writes, and loads them first.
// The stages of a row-tiled kernel run one after another for all rows of a tile, each of which
// writes its own elements.
inline bool reads_first(const Kernel& kernel, const Vector<BodyPosition>& positions, ValueId load,
                        ValueId store) {
  const auto at = [&](ValueId id) { return positions[id]; };
  const Instruction& from = kernel.instructions[load];
  const Instruction& to = kernel.instructions[store];
  if (from.code != Code::load) return false;
  if (at(load).stage == at(store).stage) {
    return at(load).position < at(store).position && same(from.index, to.index);
  }
  const Stage& reading = kernel.stages[at(load).stage];
  const Stage& writing = kernel.stages[at(store).stage];
  return at(load).stage < at(store).stage && !is_row_tiled(kernel) &&
         same(in_loops(from.index, reading.loops, writing.loops), to.index);
}

}  // namespace detail

/// Whether `kernel` may write argument `to` into the memory of argument `from`: each grid point
/// reads only the elements that it writes, and reads them first. The sizes have to be equal.
/// For new values of inputs see may_write_in_place(), which only compares indices as they are.
inline bool may_write_over(const Kernel& kernel, std::int32_t from, std::int32_t to) {
  const ValueId store = detail::only_store(kernel, to);
  if (store < 0) return false;
  const Vector<detail::BodyPosition> positions = detail::positions_of(kernel);
  for (std::size_t id = 0; id < kernel.instructions.size(); ++id) {
    const Instruction& one = kernel.instructions[id];
    if (one.argument != from && one.source != from) continue;
    if (!detail::reads_first(kernel, positions, static_cast<ValueId>(id), store)) return false;
  }
  return true;
}

namespace detail {

// The buffers of a launch that runs beside later ones live until one of these reads its results.
inline void extend_overlapping(const Plan& plan, std::size_t launch, Vector<Lifetime>& lifetimes) {
  const Launch& one = plan.launches[launch];
  if (one.control < 0) return;
  const Control& control = plan.controls[one.control];
  if (!control.overlaps) return;
  const auto inputs = static_cast<std::ptrdiff_t>(control.inputs);
  const Vector<std::int32_t> results(one.buffers.begin() + inputs, one.buffers.end());
  std::size_t end = launch + 1;
  while (end + 1 < plan.launches.size() && !any_of(results, [&](std::int32_t id) {
           return contains(plan.launches[end].buffers, id);
         })) {
    ++end;
  }
  for (const std::int32_t id : one.buffers) {
    Lifetime& lifetime = lifetimes[id];
    lifetime.last = std::max(lifetime.last, static_cast<std::int32_t>(end));
  }
}

}  // namespace detail

/// The lifetime of each buffer of `plan`.
inline Vector<Lifetime> lifetimes_of(const Plan& plan) {
  Vector<Lifetime> result(plan.buffers.size());
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    for (const std::int32_t id : plan.launches[i].buffers) {
      Lifetime& lifetime = result[id];
      if (lifetime.first < 0) lifetime.first = static_cast<std::int32_t>(i);
      lifetime.last = static_cast<std::int32_t>(i);
    }
  }
  for (std::size_t i = 0; i < plan.launches.size(); ++i)
    detail::extend_overlapping(plan, i, result);
  return result;
}

namespace detail {

struct ReuseFinder {
  const Plan& plan;
  Span<const Kernel> kernels;
  const Vector<bool>& outputs;
  Vector<Lifetime> lifetimes = lifetimes_of(plan);
  Vector<std::int32_t> result = Vector<std::int32_t>(lifetimes.size(), -1);
  Vector<bool> is_reused = Vector<bool>(lifetimes.size(), false);

  const Buffer& buffer(std::int32_t id) const { return plan.buffers[id]; }

  bool fits(std::int32_t from, std::int32_t to) const {
    return info(buffer(from).dtype).size == info(buffer(to).dtype).size &&
           same(buffer(from).elements, buffer(to).elements);
  }

  bool in_arena(std::int32_t id) const {
    return buffer(id).home == Home::arena && buffer(id).whole < 0;
  }
  bool may_take(std::int32_t id) const { return in_arena(id) || (!outputs.empty() && outputs[id]); }

  static bool used_once(const Vector<std::int32_t>& uses, std::int32_t id) {
    return std::count(uses.begin(), uses.end(), id) == 1;
  }

  // The buffers that may still be used after `entry` has written its results: its finalizers, and
  // other kernels of the launch. The arguments of `entry` begin at `next`. Its finalizers may read
  // its results, since they run after all are written.
  static Vector<std::int32_t> uses_of_results(const Launch& launch, const Entry& entry,
                                              std::size_t next, std::size_t count) {
    Vector<std::int32_t> result = launch.buffers;
    const auto first = result.begin() + static_cast<std::ptrdiff_t>(next);
    result.erase(first + static_cast<std::ptrdiff_t>(count), first + entry.buffers);
    return result;
  }

  // The buffers of the kernel of `entry`, whose arguments begin at `next`.
  void visit(std::size_t at, const Entry& entry, std::size_t next) {
    const Launch& launch = plan.launches[at];
    const Kernel& kernel = kernels[entry.kernel];
    const auto uses = uses_of_results(launch, entry, next, buffer_count(kernel));
    const auto now = static_cast<std::int32_t>(at);
    Vector<std::int32_t> ids(kernel.arguments.size(), -1);
    for_each_buffer(kernel, Span<const std::int32_t>(launch.buffers).subspan(next),
                    [&](std::int32_t id, std::size_t i) { ids[i] = id; });
    for (std::size_t to = 0; to < ids.size(); ++to) {
      if (kernel.arguments[to].access != Access::write) continue;
      if (!may_take(ids[to]) || !used_once(uses, ids[to])) continue;
      if (lifetimes[ids[to]].first != now) continue;
      for (std::size_t from = 0; from < ids.size(); ++from) {
        if (kernel.arguments[from].access != Access::read) continue;
        if (!in_arena(ids[from]) || !used_once(launch.buffers, ids[from])) continue;
        const auto id = static_cast<std::size_t>(ids[from]);
        if (lifetimes[id].last != now || lifetimes[id].first == now || is_reused[id]) continue;
        if (!fits(ids[from], ids[to])) continue;
        if (!may_write_over(kernel, static_cast<std::int32_t>(from),
                            static_cast<std::int32_t>(to))) {
          continue;
        }
        result[ids[to]] = ids[from];
        is_reused[id] = true;
        break;
      }
    }
  }

  void run() {
    for (std::size_t i = 0; i < plan.launches.size(); ++i) {
      if (plan.launches[i].control >= 0) continue;
      for_each_entry(plan.launches[i], [&](const Entry& entry, std::size_t next, std::size_t) {
        visit(i, entry, next);
      });
    }
  }
};

}  // namespace detail

/// For each buffer of the arena, and for each output that `outputs` marks: the arena buffer that
/// ends where this one begins and whose memory it may reuse, else -1. No buffer is reused twice.
/// `kernels` are those of the plan, or of the plan around it.
inline Vector<std::int32_t> reused_buffers(const Plan& plan, Span<const Kernel> kernels,
                                           const Vector<bool>& outputs = {}) {
  detail::ReuseFinder finder{plan, kernels, outputs};
  finder.run();
  return std::move(finder.result);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
