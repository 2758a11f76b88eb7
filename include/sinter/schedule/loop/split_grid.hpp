#pragma once
// The grid of a kernel with partial reductions: an outer loop over chunks, which threads share, and
// the loops within a chunk, which run in order.

#include <utility>  // std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

template <class Visit>
void for_each_combine(Kernel& kernel, const Visit& visit) {
  for (Instruction& one : kernel.instructions) {
    if (one.code == Code::combine) visit(one);
  }
}

// The loops of the grid that no combined result depends on.
inline Vector<std::size_t> divisible_loops(Kernel& kernel) {
  Vector<std::size_t> result;
  for (std::size_t i = 0; i < kernel.grid.size(); ++i) {
    bool fits = true;
    for_each_combine(kernel, [&](const Instruction& one) {
      fits = fits && !depends_on(one.index, kernel.grid[i].variable);
    });
    if (fits) result.push_back(i);
  }
  return result;
}

// Fuses grid loops at the position of the first of them, which has too few steps for the chunks.
inline void fuse_grid_loops(Kernel& kernel, const Vector<std::size_t>& loops) {
  Extent steps = 1, inner = 1;
  for (const std::size_t at : loops) steps *= kernel.grid[at].extent;
  const Loop all{Extent::range(next_range(kernel), steps), steps};
  Substitutions values;
  for (std::size_t i = loops.size(); i-- > 0;) {
    const Loop& loop = kernel.grid[loops[i]];
    const Extent position = floor_div(all.variable, inner);
    values.emplace_back(loop.variable, i == 0 ? position : position % loop.extent);
    inner *= loop.extent;
    if (i > 0) kernel.grid.erase(kernel.grid.begin() + static_cast<std::ptrdiff_t>(loops[i]));
  }
  kernel.grid[loops[0]] = all;
  substitute_all(kernel, values);
}

// The position of the loop to split, after fusing loops if necessary.
inline std::size_t loop_to_split(Kernel& kernel, Extent chunks, bool fuses_unknown_loops) {
  const Vector<std::size_t> loops = divisible_loops(kernel);
  if (loops.empty()) {
    throw InternalError(text("schedule: no grid loop to split into chunks\n", to_string(kernel)));
  }
  const Extent steps = kernel.grid[loops[0]].extent;
  const bool merges =
      fuses_unknown_loops ? !proven_less_equal(chunks, steps) : proven_less(steps, chunks);
  if (loops.size() > 1 && merges) fuse_grid_loops(kernel, loops);
  return loops[0];
}

// Splits loop `at` of the grid into a loop over chunks, which becomes the first one, and a loop
// over the steps of a chunk.
inline void split_loop(Kernel& kernel, std::size_t at, Extent chunks) {
  const Loop whole = kernel.grid[at];
  const Extent length = ceil_div(whole.extent, chunks);
  const Loop chunk{Extent::range(next_range(kernel), chunks), chunks};
  const bool even = proven_divisible(whole.extent, chunks);
  const Extent left = max(whole.extent - chunk.variable * length, 0);
  const Extent steps = even ? length : min(length, left);
  const Loop step{Extent::range(chunk.variable.id() + 1, steps), steps};
  if (step.variable.is_number()) {
    kernel.grid.erase(kernel.grid.begin() + static_cast<std::ptrdiff_t>(at));
  } else {
    kernel.grid[at] = step;
  }
  const Extent position = chunk.variable * length + step.variable;
  substitute_all(kernel, {{whole.variable, position}});
  kernel.grid.insert(kernel.grid.begin(), chunk);
  for_each_combine(kernel, [&](Instruction& one) { one.index += chunk.variable * one.bound; });
}

// Whether each chunk combines scalars only and the kernel has no row loop.
inline bool combines_scalars(Kernel& kernel) {
  bool result = kernel.stages.size() == 1 && kernel.stages[0].loops.empty();
  for_each_combine(kernel, [&](const Instruction& one) { result = result && same(one.bound, 1); });
  return result;
}

// Makes the points of a chunk a reduction loop, followed by a stage that stores its results.
inline void reduce_points(Kernel& kernel) {
  Stage& stage = kernel.stages[0];
  stage.loops.assign(kernel.grid.begin() + 1, kernel.grid.end());
  kernel.grid.resize(1);
  Stage after;
  Vector<Instruction> stores;
  for (const ValueId id : stage.body) {
    Instruction& one = kernel.instructions[id];
    if (one.code != Code::combine) continue;
    Instruction store{.code = Code::store, .op = one.op, .dtype = one.dtype};
    store.operands = {id};
    store.argument = one.argument;
    store.index = one.index;
    store.where = one.where;
    store.remark = one.remark;
    stores.push_back(std::move(store));
    one.code = Code::reduce;
    one.argument = -1;
    one.index = one.bound = 0;
  }
  for (Instruction& store : stores) {
    after.body.push_back(static_cast<ValueId>(kernel.instructions.size()));
    kernel.instructions.push_back(std::move(store));
  }
  kernel.stages.push_back(std::move(after));
}

}  // namespace detail

/// Splits the first loop of the grid that no combined result depends on into `chunks`; does nothing
/// if `chunks` is 0. If that loop has fewer iterations than there are chunks, all such loops are
/// fused into one first; if the number of iterations is unknown, only with `fuses_unknown_loops`.
/// If each chunk reduces to scalars and the kernel has no row loop, the iterations of a chunk
/// become the row loop.
inline void split_grid(Kernel& kernel, Extent chunks, bool fuses_unknown_loops = false) {
  if (same(chunks, 0)) return;
  const bool scalars = detail::combines_scalars(kernel);
  detail::split_loop(kernel, detail::loop_to_split(kernel, chunks, fuses_unknown_loops), chunks);
  if (scalars && kernel.grid.size() > 1) detail::reduce_points(kernel);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
