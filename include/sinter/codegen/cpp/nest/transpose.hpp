#pragma once
// Loads along one loop of the grid for vectors along another: whole tiles, turned in registers.

#include <cstdint>  // std::int64_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/codegen/text/reductions.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Writes the tiles of a kernel some of whose loads are `transposed`: see Layout. A tile is
/// `tile()` iterations of the last two loops of the grid, its rows and columns; what is read for it
/// is copied to a buffer of the thread, row by row, before it is computed.
class Transposes : public Reductions {
 public:
  using Reductions::Reductions;

 protected:
  void write_tile_row(ValueId id) override;
  /// True if the loop at `position` runs over tiles.
  bool is_tiled(int position) const;
  /// The iterations of a tile along either loop; whole vectors.
  std::int64_t tile() const;
  /// Declares the buffers of the tiles.
  void write_tile_memory();
  /// Fills them, for the tile that begins at `row` and `column`, as the text calls these.
  void write_tiles(const std::string& row, const std::string& column, const std::string& rows,
                   const std::string& columns);
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/nest/transpose.ipp>
#endif
