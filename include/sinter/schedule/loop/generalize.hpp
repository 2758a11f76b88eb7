#pragma once
// Kernels with symbolic sizes instead of numbers, so that kernels over other extents share a text.

#include <vector>  // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A kernel with symbolic sizes, and their values in terms of the symbols of the original kernel.
struct Generalized {
  Kernel kernel{};
  std::vector<Extent> sizes{};  ///< For each symbol of the kernel.
  bool is_free = false;         ///< Each symbol is the extent of a loop, and each extent a symbol.
};

namespace detail {

inline constexpr std::size_t most_generalized_loops = 2;
// The largest extent of a single loop, and of each of two loops, for 32-bit indices: twice the
// number of points and a few thousand more fit in 31 bits.
inline constexpr std::int64_t most_bounded[]{1 << 29, 1 << 14};

struct Generalizer {
  const Kernel& from;
  SymbolInfo info{};  // of the new symbols
  Kernel kernel = from;
  Vector<Loop> before{}, after{};            // of the grid, then of the rows
  std::vector<Extent> strides{}, general{};  // row-major strides of each loop, before and after

  void add_loop(const Loop& loop) {
    const bool known =
        any_of(before, [&](const Loop& one) { return same(one.variable, loop.variable); });
    if (known || !loop.variable.is_range()) return;
    const auto number = static_cast<std::uint32_t>(before.size());
    const Extent size =
        Extent::symbol(static_cast<std::uint32_t>(from.symbols.size()) + number, info);
    before.push_back(loop);
    after.push_back({Extent::range(loop.variable.id(), size), size, loop.unroll});
  }

  void find_loops() {
    for (const Loop& loop : from.grid) add_loop(loop);
    for (const Stage& stage : from.stages) {
      for (const Loop& loop : stage.loops) add_loop(loop);
    }
    Extent stride = 1, size = 1;
    strides.resize(before.size()), general.resize(before.size());
    for (std::size_t i = before.size(); i-- > 0;) {
      strides[i] = stride, general[i] = size;
      stride *= before[i].extent, size *= after[i].extent;
    }
  }

  // The stride `step` of loop `i` in terms of the symbolic sizes.
  Extent step_of(std::size_t i, Extent step) const {
    if (same(step, 1)) return step;
    if (same(step, strides[i])) return general[i];
    for (std::size_t other = 0; other < before.size(); ++other) {
      if (same(step, before[other].extent)) return after[other].extent;
    }
    return step;
  }

  Extent index(Extent extent) const {
    if (extent.is_number()) return extent;
    Substitutions ranges;
    Extent rest = extent, sum = 0;
    bool affine = true;
    for (std::size_t i = 0; i < before.size(); ++i) {
      ranges.push_back({before[i].variable, after[i].variable});
      const auto step = coefficient_of(rest, before[i].variable);
      affine = affine && step.has_value();
      if (!affine) continue;
      rest = without(rest, before[i].variable);
      sum += step_of(i, *step) * after[i].variable;
    }
    return affine && rest.is_number() ? sum + rest : substitute(extent, ranges);
  }

  Extent elements(Extent count) const {
    Extent known = 1, size = 1;
    for (std::size_t i = 0; i < before.size(); ++i) {
      known *= before[i].extent, size *= after[i].extent;
    }
    if (same(count, known)) return size;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (same(count, before[i].extent)) return after[i].extent;
    }
    return count;
  }

  void replace(Vector<Loop>& loops) const {
    for (Loop& loop : loops) {
      for (std::size_t i = 0; i < before.size(); ++i) {
        if (same(loop.variable, before[i].variable)) loop = after[i];
      }
    }
  }

  void apply() {
    replace(kernel.grid);
    for (Stage& stage : kernel.stages) replace(stage.loops);
    for (Argument& argument : kernel.arguments) argument.elements = elements(argument.elements);
    for (Instruction& instruction : kernel.instructions) {
      schedule::for_each_extent(instruction, [&](Extent& extent) { extent = index(extent); });
    }
  }

  // Whether the general kernel is equal to the original one for the original sizes.
  bool is_exact() const {
    Substitutions values;
    for (std::size_t i = 0; i < before.size(); ++i) {
      values.push_back({after[i].variable, before[i].variable});
      values.push_back({after[i].extent, before[i].extent});
    }
    Kernel substituted = kernel;
    schedule::for_each_extent(substituted, [&](Extent& extent) {
      if (!extent.is_number()) extent = substitute(extent, values);
    });
    return hash_of(substituted) == hash_of(from);
  }

  Generalized result() {
    Generalized found{.kernel = kernel, .is_free = true};
    for (const Extent symbol : rename_variables(found.kernel)) {
      const std::size_t id = symbol.id();
      const bool is_new = id >= from.symbols.size();
      found.is_free = found.is_free && is_new;
      found.sizes.push_back(is_new ? before[id - from.symbols.size()].extent : symbol);
    }
    return found;
  }
};

}  // namespace detail

/// Whether a launch of `kernel` can be part of one with others: it neither runs serially, nor
/// sorts, combines, or can be at fault.
inline bool can_batch(const Kernel& kernel) {
  return !kernel.serial && !has(kernel, Code::sort) && !has(kernel, Code::combine) &&
         !can_fault(kernel);
}

/// `kernel`, whose variables are numbered by rename_variables(), with a symbol for the extent of
/// each loop, and strides and sizes in terms of these. Nothing if the result would not be
/// equivalent, or if the kernel is no plain nest of at most two loops. With `bounded`, if all
/// elements can be indexed in 32 bits, the symbols have a bound that says so.
inline Optional<Generalized> generalize(const Kernel& kernel, bool bounded = false) {
  if (!can_batch(kernel) || is_row_tiled(kernel)) return {};
  const auto loops_of = [&](SymbolInfo info) {
    detail::Generalizer result{kernel, info};
    result.find_loops();
    return result;
  };
  const Vector<Loop> loops = loops_of({}).before;
  if (loops.empty() || loops.size() > detail::most_generalized_loops) return {};
  const std::int64_t most = detail::most_bounded[loops.size() - 1];
  const bool fits =
      all_of(loops, [&](const Loop& loop) { return bounds(loop.extent).max <= most; });
  SymbolInfo info;
  if (bounded && fits) info.max = most;
  detail::Generalizer generalizer = loops_of(info);
  generalizer.apply();
  if (!generalizer.is_exact()) return {};
  return generalizer.result();
}

/// `kernel`, whose symbols are all extents of loops, with each of them set to 1.
inline Kernel at_one_point(const Kernel& kernel) {
  Kernel result = kernel;
  Substitutions ones;
  const auto add = [&](Vector<Loop>& loops) {
    for (const Loop& loop : loops) ones.push_back({loop.variable, 0});
    loops.clear();
  };
  for (const Extent symbol : kernel.symbols) ones.push_back({symbol, 1});
  add(result.grid);
  for (Stage& stage : result.stages) add(stage.loops);
  for_each_extent(result, [&](Extent& extent) {
    if (!extent.is_number()) extent = substitute(extent, ones);
  });
  result.vector_axis = VectorAxis::none;
  rename_variables(result);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
