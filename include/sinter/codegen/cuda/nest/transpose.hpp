#pragma once
// Writes kernels that read along one loop of the grid and write along another: blocks turn tiles of
// both in shared memory, so that neighbouring threads read and write neighbours.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/codegen/cuda/nest/columns.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A block has `tile_rows` rows of threads for the rows and columns of a tile.
inline constexpr int tile_width = 32, tile_rows = 8;

class CudaTranspose : public CudaColumns {
 public:
  using CudaColumns::CudaColumns;

 protected:
  /// Looks for loads that go along another loop than the last one of the grid.
  void find_transposed_loads();
  bool transposes() const { return !transposed_.empty(); }
  /// True if the loop at `position` goes over a tile.
  bool is_tile_loop(int position) const;
  /// Declares the tiles, and which part of them is this thread's.
  void write_tile_memory();
  /// Writes what a block does with the tile that begins at "first0" and "first1".
  void write_tile_task(const std::string& integer);

  void write_load(ValueId id, const Instance& instance) override;
  virtual void write_stages() = 0;

 private:
  bool is_transposed(ValueId id) const;
  void write_tile_loop(const std::string& integer, bool reads);
  void write_inside_tile();

  std::vector<ValueId> transposed_{};  ///< The loads that go through tiles.
  int read_loop_ = -1;                 ///< The loop of the grid along which they are neighbours.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/transpose.ipp>
#endif
