#pragma once

#include <algorithm>  // std::equal, std::max, std::rotate

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE void for_each_extent(Instruction& instruction, FunctionRef<void(Extent&)> visit) {
  visit(instruction.index);
  for (Guard& guard : instruction.guards) {
    visit(guard.value);
    visit(guard.low);
    visit(guard.high);
  }
  visit(instruction.bound);
  visit(instruction.variable);
}

SINTER_INLINE void substitute_all(Kernel& kernel, const Substitutions& values) {
  for (Instruction& one : kernel.instructions) {
    for_each_extent(one, [&](Extent& extent) {
      if (!extent.is_number()) extent = substitute(extent, values);
    });
  }
}

SINTER_INLINE std::uint32_t next_range(const Kernel& kernel) {
  std::uint32_t result = 0;
  const auto visit = [&](Extent variable) {
    if (variable.is_range()) result = std::max(result, variable.id() + 1);
  };
  for (const Loop& loop : kernel.grid) visit(loop.variable);
  for (const Stage& stage : kernel.stages) {
    for (const Loop& loop : stage.loops) visit(loop.variable);
    for (const Loop& loop : stage.contracted) visit(loop.variable);
  }
  for (const Instruction& instruction : kernel.instructions) visit(instruction.variable);
  return result;
}

namespace detail {

// Whether the stride of `outer` in `extent` is the stride of `inner` times the extent of `inner`.
SINTER_INLINE bool continues(Extent extent, const Loop& outer, const Loop& inner) {
  if (extent.is_number()) return true;
  const auto step = coefficient_of(extent, inner.variable);
  const auto stride = coefficient_of(extent, outer.variable);
  return step && stride && same(*stride, *step * inner.extent);
}

SINTER_INLINE std::ptrdiff_t contiguous_stores(const Kernel& kernel, const Loop& loop) {
  return count_if(kernel.instructions, [&](const Instruction& instruction) {
    return instruction.code == Code::store && has_step(instruction.index, loop.variable);
  });
}

SINTER_INLINE bool same_loops(const Vector<Loop>& a, const Vector<Loop>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Loop& one, const Loop& other) {
    return same(one.variable, other.variable);
  });
}

SINTER_INLINE bool can_merge(Kernel& kernel, const Loop& outer, const Loop& inner) {
  bool result = true;
  for (Instruction& instruction : kernel.instructions) {
    for_each_extent(instruction,
                    [&](Extent& extent) { result = result && continues(extent, outer, inner); });
    if (!result) break;
  }
  return result;
}

// Fuses adjacent loops in `loops`; stages share their loops.
SINTER_INLINE void merge(Kernel& kernel, Vector<Loop>& loops) {
  for (std::size_t i = loops.size(); i-- > 1;) {
    const Loop outer = loops[i - 1], inner = loops[i];
    if (!can_merge(kernel, outer, inner)) continue;
    const Extent extent = outer.extent * inner.extent;
    const Loop merged{Extent::range(inner.variable.id(), extent), extent};
    substitute_all(kernel, {{outer.variable, 0}, {inner.variable, merged.variable}});
    loops[i - 1] = merged;
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// Numbers ranges and symbols in the order in which they are visited.
struct Renamer {
  HashMap<std::uint64_t, Extent> renamed{};
  std::vector<Extent> symbols{};
  std::uint32_t next_range = 0;

  Extent rename(Extent variable) {
    if (const auto known = renamed.find(variable.bits()); known != renamed.end()) {
      return known->second;
    }
    Extent result;
    if (variable.is_symbol()) {
      const auto id = static_cast<std::uint32_t>(symbols.size());
      result = Extent::symbol(id, variable.symbol_info());
      symbols.push_back(variable);
    } else {
      const Extent extent = apply(variable.range_extent());
      result = Extent::range(next_range++, extent);
    }
    renamed.emplace(variable.bits(), result);
    return result;
  }

  Extent apply(Extent extent) {
    if (extent.is_number()) return extent;
    for (const Extent variable : variables(extent)) rename(variable);
    return substitute(extent, [&](Extent variable) { return rename(variable); });
  }
};

}  // namespace detail

SINTER_INLINE void for_each_extent(Kernel& kernel, FunctionRef<void(Extent&)> visit) {
  const auto visit_loops = [&](Vector<Loop>& loops) {
    for (Loop& loop : loops) {
      visit(loop.extent);
      visit(loop.variable);
    }
  };
  visit_loops(kernel.grid);
  for (Stage& stage : kernel.stages) {
    visit_loops(stage.loops);
    visit_loops(stage.contracted);
  }
  for (Argument& argument : kernel.arguments) visit(argument.elements);
  for (Instruction& instruction : kernel.instructions) {
    for_each_extent(instruction, visit);
  }
}

SINTER_INLINE void order_grid(Kernel& kernel) {
  if (kernel.grid.empty() || is_row_tiled(kernel)) return;  // its row loop is last
  std::size_t best = kernel.grid.size() - 1;
  std::ptrdiff_t most = detail::contiguous_stores(kernel, kernel.grid[best]);
  for (std::size_t i = kernel.grid.size() - 1; i-- > 0;) {
    const std::ptrdiff_t stores = detail::contiguous_stores(kernel, kernel.grid[i]);
    if (stores <= most) continue;
    most = stores;
    best = i;
  }
  const auto first = kernel.grid.begin() + static_cast<std::ptrdiff_t>(best);
  std::rotate(first, first + 1, kernel.grid.end());
}

SINTER_INLINE void fuse_loops(Kernel& kernel) {
  detail::merge(kernel, kernel.grid);
  if (is_row_tiled(kernel)) return;  // its stages contract loops of their own
  Vector<bool> is_merged(kernel.stages.size(), false);
  for (std::size_t first = 0; first < kernel.stages.size(); ++first) {
    if (is_merged[first] || kernel.stages[first].loops.empty()) continue;
    const Vector<Loop> before = kernel.stages[first].loops;
    Vector<Loop> rows = before;
    detail::merge(kernel, rows);
    for (std::size_t i = first; i < kernel.stages.size(); ++i) {
      if (!detail::same_loops(kernel.stages[i].loops, before)) continue;
      kernel.stages[i].loops = rows;
      is_merged[i] = true;
    }
  }
}

SINTER_INLINE std::vector<Extent> rename_variables(Kernel& kernel) {
  detail::Renamer renamer;
  for_each_extent(kernel, [&](Extent& extent) { extent = renamer.apply(extent); });
  kernel.symbols.clear();
  for (const Extent symbol : renamer.symbols) {
    kernel.symbols.push_back(renamer.rename(symbol));
  }
  return renamer.symbols;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
