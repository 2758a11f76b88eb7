#pragma once
// Writes the register tiles of products of windows: sums of some elements of windows times a vector
// of weights or of gradients, over a part of the depth.

#include <cstdint>  // std::int64_t
#include <string>   // std::string

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A loop of the depth. `count` is a number, or a parameter of the function. Each iteration moves
/// the windows by `stride` elements.
struct WindowTileLoop {
  std::string count{};
  std::int64_t stride = 0;
  bool is_written_out = false;
};

/// A tile: for each row, the offset of its window, and of its sums in memory.
struct WindowTile {
  struct Row {
    std::int64_t window = 0, sums = 0;
  };
  Vector<Row> rows{};
  Vector<WindowTileLoop> loops{};  ///< From the outermost one.
};

/// The points of a line, divided evenly into tiles of `rows` and of `rows - 1` points.
struct LineTiles {
  std::int64_t points = 0;
  int rows = 1;

  std::int64_t count() const { return (points + rows - 1) / rows; }
  /// How many points are in tiles of `rows`, which come first.
  std::int64_t points_in_high() const { return (points - count() * (rows - 1)) * rows; }
  Vector<int> heights() const {
    return points_in_high() < points ? Vector<int>{rows, rows - 1} : Vector<int>{rows};
  }
};

/// The tiles, of an element with `lanes` in a vector, that compute lines of `points` points and
/// `columns` channels in the least time. Nothing if they would waste half of it.
Optional<TileSize> choose_window_tile(const schedule::Target& target, int lanes,
                                      std::int64_t points, std::int64_t columns);

/// Whether strips may serve a sum of `dtype`: in f32 or f64, in any order, without tuning.
bool allows_window_tiles(DType dtype, const CppOptions& options);

/// The numbers of vectors that rows of a tile may have, the best first; their columns are a
/// multiple of 4, as they are packed by fours.
Vector<int> vectors_of_window_tiles(const schedule::Target& target, int lanes);

/// The most rows of a tile, whose sums stay in registers beside a row of a panel and an element.
int most_rows_of_window_tile(const schedule::Target& target, int vectors);

/// The number of sums that could be computed while a tile takes one step along the depth.
std::int64_t cost_of_window_tile(const schedule::Target& target, std::int64_t rows, int vectors);

/// The steps along the depth in a block, of equal blocks of `all` steps whose weights, `bytes` for
/// each step, fit in a part of the L1 cache.
std::int64_t steps_of_block(const schedule::Caches& caches, std::int64_t all, std::int64_t bytes);

/// The function `name`, which gets the counts of loops that are no numbers, and adds to the sums if
/// `more`:
///
///     static void name(float* sums, const float* window, const float* panel, long steps,
///                      bool more)
std::string window_tile(const WindowTile& tile, const ProductDecision& how,
                        const std::string& name);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/window/window_tile.ipp>
#endif
