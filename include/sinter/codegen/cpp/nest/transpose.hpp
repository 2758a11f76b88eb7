#pragma once
// Writes loads that are contiguous along one grid loop, for vectors along another: whole tiles that
// are transposed in registers.

#include <cstdint>  // std::int64_t
#include <string>   // std::string

#include <sinter/codegen/text/memory.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Writes the tiles of a kernel some of whose loads are `transposed`: see Layout. A tile has
/// `tile()` iterations of each of the last two grid loops, its rows and columns. What it reads is
/// transposed to a buffer of the thread before it is computed.
class Transposes : private KernelPart {
 public:
  explicit Transposes(KernelContext& context) : KernelPart(context) {}

  /// Writes the pointer to a row of the tile of `id`, to be indexed by the column of the whole
  /// kernel.
  void write_tile_row(ValueId id);
  /// True if the loop at `position` runs over tiles.
  bool is_tiled(int position) const;
  /// The iterations of a tile along either loop, a number of whole vectors.
  std::int64_t tile() const;
  /// Declares the buffers of the tiles.
  void write_tile_memory();
  /// Fills them for the tile that begins at `row` and `column`, names in the text.
  void write_tiles(const std::string& row, const std::string& column, const std::string& rows,
                   const std::string& columns);
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/nest/transpose.ipp>
#endif
