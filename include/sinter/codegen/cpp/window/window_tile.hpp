#pragma once
// Writes the register tiles of products of windows: sums of some elements of windows times a vector
// of weights or of gradients, over a part of the depth.

#include <cstdint>  // std::int64_t
#include <string>   // std::string

#include <sinter/base/container/vector.hpp>
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
