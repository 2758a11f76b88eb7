#pragma once
// Writes the register tiles of products of windows: sums of some elements of windows times a vector
// of weights or of gradients, over a part of the depth.

#include <algorithm>  // std::max, std::min
#include <charconv>   // std::from_chars
#include <cstddef>    // std::size_t
#include <cstdint>    // std::int64_t
#include <string>     // std::string

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/text.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/text/scalar.hpp>
#include <sinter/codegen/text/writer.hpp>
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

namespace detail {

class WindowTileText {
 public:
  WindowTileText(const WindowTile& tile, const ProductDecision& how)
      : tile_(tile),
        vectors_(how.tile.vectors),
        lanes_(how.tile.lanes),
        element_(memory_type(how.dtype)),
        vector_(text(how.dtype, "x", how.tile.lanes)) {}

  std::string function(const std::string& name) {
    std::string counts;
    for (const WindowTileLoop& loop : tile_.loops) {
      if (number_of(loop) < 0) counts += text("long ", loop.count, ", ");
    }
    {
      const auto body = out_.block({"static __attribute__((noinline)) void ", name, "(", element_,
                                    "* sums, const ", element_, "* window, const ", element_,
                                    "* panel, ", counts, "bool more)"});
      write_sums([](const std::string& sum, const std::string&) { return sum + " = {}"; },
                 vector_ + " ");
      {
        const auto adds = out_.block("if (more)");
        write_sums([&](const std::string& sum, const std::string& at) {
          return text(sum, " = load_", vector_, "(", at, ")");
        });
      }
      write_loop(0, "window");
      write_sums([&](const std::string& sum, const std::string& at) {
        return text("store_", vector_, "(", at, ", ", sum, ")");
      });
    }
    return out_.str() + "\n";
  }

 private:
  // -1 for a parameter.
  static std::int64_t number_of(const WindowTileLoop& loop) {
    std::int64_t result = -1;
    std::from_chars(loop.count.data(), loop.count.data() + loop.count.size(), result);
    return result;
  }

  // A line for each row; write(sum, address) for each of its vectors.
  template <class Write>
  void write_sums(Write write, const std::string& before = "") {
    for (std::size_t i = 0; i < tile_.rows.size(); ++i) {
      std::string line = before;
      for (int j = 0; j < vectors_; ++j) {
        const std::int64_t offset = tile_.rows[i].sums + j * lanes_;
        line += text(j == 0 ? "" : ", ",
                     write(sum(i, j), offset == 0 ? "sums" : text("sums + ", offset)));
      }
      out_.line(line + ";");
    }
  }

  // The loops from `loop` on, where `at` is the position in the strip.
  void write_loop(std::size_t loop, const std::string& at) {
    const WindowTileLoop& each = tile_.loops[loop];
    const bool is_last = loop + 1 == tile_.loops.size();
    if (each.is_written_out) {
      const std::int64_t count = number_of(each);
      for (std::int64_t i = 0; i < count; ++i) write_step(at, i * each.stride, i);
      return out_.line({"panel += ", count * vectors_ * lanes_, ";"});
    }
    const std::string i = text("i", loop), from = text("at", loop);
    out_.line({"const ", element_, "* ", from, " = ", at, ";"});
    const auto block = out_.block({"for (long ", i, " = 0; ", i, " < ", each.count, "; ++", i, ", ",
                                   from, " += ", each.stride, ")"});
    if (!is_last) return write_loop(loop + 1, from);
    write_step(from, 0, 0);
    out_.line({"panel += ", vectors_ * lanes_, ";"});
  }

  // One step: an element of each window times a row of the panel.
  void write_step(const std::string& at, std::int64_t offset, std::int64_t row) {
    const auto step = out_.block("");
    std::string panel = text("const ", vector_, " ");
    for (int j = 0; j < vectors_; ++j) {
      const std::int64_t from = (row * vectors_ + j) * lanes_;
      panel += text(j == 0 ? "" : ", ", "b", j, " = load_", vector_, "(panel",
                    from == 0 ? "" : text(" + ", from), ")");
    }
    out_.line(panel + ";");
    for (std::size_t i = 0; i < tile_.rows.size(); ++i) {
      out_.line({"const ", vector_, " x", i, " = splat_", vector_, "(", at, "[",
                 offset + tile_.rows[i].window, "]);"});
      std::string sums;
      for (int j = 0; j < vectors_; ++j) {
        sums += text(j == 0 ? "" : ", ", sum(i, j), " = add_product_", vector_, "(", sum(i, j),
                     ", x", i, ", b", j, ")");
      }
      out_.line(sums + ";");
    }
    // The next step reads some of these elements again: that is cheaper than to keep them.
    out_.line({"__asm__(\"\" : \"+r\"(", at, "));"});
  }

  static std::string sum(std::size_t i, int j) { return text("c", i, "_", j); }

  const WindowTile& tile_;
  int vectors_, lanes_;
  std::string element_, vector_;
  Writer out_{};
};

}  // namespace detail

/// Whether strips may serve a sum of `dtype`: in f32 or f64, in any order, without tuning.
inline bool allows_window_tiles(DType dtype, const CppOptions& options) {
  const bool is_known = dtype == f32 || dtype == f64;
  return is_known && !options.strict && options.tuning == Tuning{} &&
         options.target.vectors.bits != 0;
}

/// The numbers of vectors that rows of a tile may have, the best first; their columns are a
/// multiple of 4, as they are packed by fours.
inline Vector<int> vectors_of_window_tiles(const schedule::Target& target, int lanes) {
  Vector<int> result;
  const bool many = target.vectors.bits == 512;
  for (const int vectors : many ? Vector<int>{4, 3, 2, 1} : Vector<int>{2, 3, 1}) {
    if (vectors * lanes % 4 == 0) result.push_back(vectors);
  }
  return result;
}

/// The most rows of a tile, whose sums stay in registers beside a row of a panel and an element.
inline int most_rows_of_window_tile(const schedule::Target& target, int vectors) {
  const int registers = target.vectors.bits == 512 ? 32 : 16;
  return std::min(target.cpp.most_points_of_window_tile, (registers - 1 - vectors) / vectors);
}

/// The number of sums that could be computed while a tile takes one step along the depth.
inline std::int64_t cost_of_window_tile(const schedule::Target& target, std::int64_t rows,
                                        int vectors) {
  return std::max(
      {rows * vectors, rows + vectors, std::int64_t{target.cpp.fewest_sums_of_window_tile}});
}

// For all columns, the sums that could be computed while the tiles of a line take one step.
inline std::int64_t cost_of_line(const schedule::Target& target, const TileSize& tile,
                                 std::int64_t points, std::int64_t columns) {
  const LineTiles tiles{points, tile.rows};
  const std::int64_t high = tiles.points_in_high() / tile.rows;
  const auto cost = [&](int rows) { return cost_of_window_tile(target, rows, tile.vectors); };
  const std::int64_t panels = (columns + tile.columns() - 1) / tile.columns();
  return panels * (high * cost(tile.rows) + (tiles.count() - high) * cost(tile.rows - 1));
}

/// The tiles, of an element with `lanes` in a vector, that compute lines of `points` points and
/// `columns` channels in the least time. Nothing if they would waste half of it.
inline Optional<TileSize> choose_window_tile(const schedule::Target& target, int lanes,
                                             std::int64_t points, std::int64_t columns) {
  TileSize result;
  std::int64_t least = unbounded;
  for (const int vectors : vectors_of_window_tiles(target, lanes)) {
    const int most = most_rows_of_window_tile(target, vectors);
    const std::int64_t tiles = (points + most - 1) / most;
    const int rows = static_cast<int>((points + tiles - 1) / tiles);
    const TileSize tile{.lanes = lanes, .rows = rows, .vectors = vectors};
    const std::int64_t cost = cost_of_line(target, tile, points, columns);
    if (cost < least) least = cost, result = tile;
  }
  if (columns < lanes || least * lanes > 2 * points * columns) return {};
  return result;
}

/// The steps along the depth in a block, of equal blocks of `all` steps whose weights, `bytes` for
/// each step, fit in a part of the L1 cache.
inline std::int64_t steps_of_block(const schedule::Caches& caches, std::int64_t all,
                                   std::int64_t bytes) {
  const std::int64_t most = std::max<std::int64_t>(caches.l1 * 5 / 8 / bytes, 1);
  const std::int64_t blocks = (all + most - 1) / most;
  return (all + blocks - 1) / blocks;
}

/// The function `name`, which gets the counts of loops that are no numbers, and adds to the sums if
/// `more`:
///
///     static void name(float* sums, const float* window, const float* panel, long steps,
///                      bool more)
inline std::string window_tile(const WindowTile& tile, const ProductDecision& how,
                               const std::string& name) {
  return detail::WindowTileText(tile, how).function(name);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
