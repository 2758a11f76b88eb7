#pragma once
// The symbols of subkernels: the variables and sizes that each of them is given.

#include <cstdint>  // std::int64_t, std::uint32_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/loop/clip.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

// What the variables of the grid are called in each subkernel.
struct RowTileSymbols {
  std::vector<Extent> symbols{};  // of the whole kernel, then of the tile; the ends come last
  Extent first = 0, rows = 0;     // of the tile
  Extent row = 0;                 // the variable of a subkernel, relative to the first row
  std::vector<Extent> outer{};    // for each outer loop of the grid

  Extent end = 0;       // of clipped loops
  Extent last_end = 0;  // the same in the last tile

  RowTileSymbols(const Kernel& whole, const Clip& clip, std::int64_t most_rows)
      : symbols(whole.symbols) {
    for (std::size_t i = 0; i + 1 < whole.grid.size(); ++i) {
      outer.push_back(add(0, bounds(whole.grid[i].extent).max));
    }
    const std::int64_t all = bounds(whole.grid.back().extent).max;
    first = add(0, all);
    rows = add(1, all < most_rows ? all : most_rows);
    row = Extent::range(next_range(whole), rows);
    if (!clip.found) return;
    end = add(0, bounds(extent_of(whole, clip)).max);
    last_end = add(0, bounds(end).max);
  }

  static Extent extent_of(const Kernel& whole, const Clip& clip) {
    for (std::size_t s = 0; s < whole.stages.size(); ++s) {
      if (clip.loops[s]) return whole.stages[s].loops[0].extent;
      if (clip.contracted[s]) return whole.stages[s].contracted[0].extent;
    }
    return 0;
  }

  Extent add(std::int64_t least, std::int64_t most) {
    const auto id = static_cast<std::uint32_t>(symbols.size());
    symbols.push_back(Extent::symbol(id, {.min = least, .max = most < least ? least : most}));
    return symbols.back();
  }
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
