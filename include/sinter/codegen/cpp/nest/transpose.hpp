#pragma once
// Writes loads that are contiguous along one grid loop, for vectors along another: whole tiles that
// are transposed in registers.

#include <algorithm>  // std::max
#include <cstdint>    // std::int64_t
#include <string>     // std::string

#include <sinter/codegen/text/memory.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// Booleans are moved as bytes.
inline std::string_view tile_type(DType dtype) {
  return memory_type(dtype == boolean ? u8 : dtype);
}

}  // namespace detail

/// Writes the tiles of a kernel some of whose loads are `transposed`: see Layout. A tile has
/// `tile()` iterations of each of the last two grid loops, its rows and columns. What it reads is
/// transposed to a buffer of the thread before it is computed.
class Transposes : private KernelPart {
 public:
  explicit Transposes(KernelContext& context) : KernelPart(context) {}

  /// Writes the pointer to a row of the tile of `id`, to be indexed by the column of the whole
  /// kernel.
  void write_tile_row(ValueId id) {
    const int row = layout_.grid_depth() - 2;
    const std::string name = names_.loop_name(0, row), column = names_.loop_name(0, row + 1);
    out_.line({"const ", detail::tile_type(argument(at(id)).dtype), "* const p", id, " = tile", id,
               " + (", tile(), " * (", name, " - tile_", name, ") - tile_", column, ");"});
  }

  /// True if the loop at `position` runs over tiles.
  bool is_tiled(int position) const {
    return !layout_.transposed.empty() && position + 2 >= layout_.grid_depth() &&
           position < layout_.grid_depth();
  }

  /// The iterations of a tile along either loop, a number of whole vectors.
  /// Several whole cache lines, and a tile that fits in the L1 cache.
  std::int64_t tile() const {
    if (context_.tuning.transpose_tile != 0) return context_.tuning.transpose_tile;
    std::size_t widest = 1;
    for (const ValueId id : layout_.transposed) {
      widest = std::max(widest, info(argument(at(id)).dtype).size);
    }
    return widest > 4 ? 48 : 96;
  }

  /// Declares the buffers of the tiles.
  void write_tile_memory() {
    for (const ValueId id : layout_.transposed) {
      out_.line({"alignas(64) ", detail::tile_type(argument(at(id)).dtype), " tile", id, "[",
                 tile() * tile(), "];"});
    }
  }

  /// Fills them for the tile that begins at `row` and `column`, names in the text.
  void write_tiles(const std::string& row, const std::string& column, const std::string& rows,
                   const std::string& columns) {
    names_.frames.push_back({row, 1, 1});
    names_.frames.push_back({column, 1, 1});
    for (const ValueId id : layout_.transposed) {
      const Extent stride = *coefficient_of(at(id).index, layout_.grid.back().variable);
      const DType dtype = argument(at(id)).dtype;
      out_.line({"transpose_", stored_name(dtype), "(tile", id, ", ", tile(), ", ",
                 dtype == boolean ? "(const unsigned char*)" : "",
                 names_.argument_name(at(id).argument), " + ", names_.c_index(at(id).index, 0, {}),
                 ", ", names_.c_index(stride, 0, {}), ", ", columns, ", ", rows, ");"},
                at(id).remark);
    }
    names_.frames.pop_back();
    names_.frames.pop_back();
  }
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
