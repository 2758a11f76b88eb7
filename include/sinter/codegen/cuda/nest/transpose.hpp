#pragma once
// Emits kernels that read along one grid loop and write along another: tiles are transposed in
// shared memory, so that both loads and stores are coalesced.

#include <string>  // std::string

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/memory.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A tile is `tile_width` x `tile_width`; a block has `tile_width` x `tile_rows` threads.
inline constexpr int tile_width = 32, tile_rows = 8;

class CudaTranspose : private KernelPart {
 public:
  CudaTranspose(KernelContext& context, Values& values, Memory& memory)
      : KernelPart(context), values_(values), memory_(memory) {}

  /// Finds loads that are contiguous along another grid loop than the last.
  void find_transposed_loads();
  bool transposes() const { return !transposed_.empty(); }
  /// True if the loop at `position` is one of the two of a tile.
  bool is_tile_loop(int position) const;
  /// Declares the tiles, and the position of this thread in them.
  void write_tile_memory();
  /// Writes the code for the tile that begins at "first0" and "first1". `write_stages` writes the
  /// stages of a point.
  void write_tile_task(const std::string& integer, FunctionRef<void()> write_stages);
  /// True if the load `id` goes through a tile; writes it.
  bool is_transposed(ValueId id) const { return contains(transposed_, id); }
  void write_load(ValueId id, const Instance& instance);

 private:
  /// Writes a loop over the rows of a tile, whose body is what `write` writes.
  void write_tile_loop(const std::string& integer, bool reads, FunctionRef<void()> write);
  void write_tile_reads();

  Values& values_;
  Memory& memory_;

  Vector<ValueId> transposed_{};       ///< Loads that go through a tile.
  int read_loop_ = -1;                 ///< The grid loop along which they are contiguous.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/transpose.ipp>
#endif
