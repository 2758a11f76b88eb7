#pragma once
// Emits kernels that read along one grid loop and write along another: tiles are transposed in
// shared memory, so that both loads and stores are coalesced.

#include <string>   // std::string
#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/memory.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A tile is `tile_width` x `tile_width`; a block has `tile_width` x `tile_rows` threads.
inline constexpr int tile_width = 32, tile_rows = 8;

class CudaTranspose : private KernelPart {
 public:
  CudaTranspose(KernelContext& context, Values& values, Memory& memory)
      : KernelPart(context), values_(values), memory_(memory) {}

  /// Finds loads that are contiguous along another grid loop than the last.
  void find_transposed_loads() {
    const auto is_long = [&](const Loop& loop) {
      return bounds(loop.extent).max >= context_.target.cuda.fewest_tile_extent;
    };
    const Loop& last = layout_.grid.back();
    if (layout_.grid_depth() < 2 || !is_long(last)) return;
    for (int position = 0; position + 1 < layout_.grid_depth(); ++position) {
      const Loop& loop = layout_.grid[position];
      if (!is_long(loop)) continue;
      Vector<ValueId> loads;
      for (std::size_t i = 0; i < layout_.kernel.instructions.size(); ++i) {
        const Instruction& one = layout_.kernel.instructions[i];
        if (loads.size() == context_.target.cuda.most_tiles || one.code != Code::load) continue;
        if (detail::fits_tile(layout_, one, loop, last)) loads.push_back(static_cast<ValueId>(i));
      }
      if (loads.size() <= transposed_.size()) continue;
      transposed_ = std::move(loads);
      read_loop_ = position;
    }
    for (const ValueId id : transposed_) layout_.values[id].has_base = false;
  }

  bool transposes() const { return !transposed_.empty(); }

  /// True if the loop at `position` is one of the two of a tile.
  bool is_tile_loop(int position) const {
    return transposes() && (position == read_loop_ || position + 1 == layout_.grid_depth());
  }

  /// Declares the tiles, and the position of this thread in them.
  void write_tile_memory() {
    for (const ValueId id : transposed_) {
      out_.line({"__shared__ ", memory_type(argument(at(id)).dtype), " tile", id, "[", tile_width,
                 "][", tile_width + 1, "];"});
    }
    out_.line(
        text("const int x = threadIdx.x % ", tile_width, ", y = threadIdx.x / ", tile_width, ";"));
  }

  /// Writes the code for the tile that begins at "first0" and "first1". `write_stages` writes the
  /// stages of a point.
  void write_tile_task(const std::string& integer, FunctionRef<void()> write_stages) {
    names_.frames.clear();
    for (int position = 0; position < layout_.grid_depth(); ++position) {
      names_.frames.push_back({names_.loop_name(0, position), 1, 1});
    }
    write_tile_loop(integer, true, [&] { write_tile_reads(); });
    out_.line("__syncthreads();");
    write_tile_loop(integer, false, [&] {
      for (int depth = 1; depth < layout_.grid_depth(); ++depth) values_.write_depth(depth, -1);
      write_stages();
    });
    out_.line("__syncthreads();");
    names_.frames.clear();
  }

  /// True if the load `id` goes through a tile; writes it.
  bool is_transposed(ValueId id) const { return contains(transposed_, id); }

  void write_load(ValueId id, const Instance& instance) {
    values_.declare(id, instance, memory_.read(id, text("tile", id, "[x][row]")));
  }

 private:
  /// Writes a loop over the rows of a tile, whose body is what `write` writes. If `reads`, it fills
  /// the tiles, with threads along the read loop; else it computes and stores, with threads along
  /// the last loop.
  void write_tile_loop(const std::string& integer, bool reads, FunctionRef<void()> write) {
    const int last = layout_.grid_depth() - 1;
    out_.line("#pragma unroll");
    const auto loop =
        out_.block({"for (int row = y; row < ", tile_width, "; row += ", tile_rows, ")"});
    std::string inside;
    for (const int position : {read_loop_, last}) {
      const Extent extent = layout_.grid[position].extent;
      const std::string name = names_.loop_name(0, position);
      out_.line({"const ", integer, " ", name, " = first", position, " + ",
                 reads == (position == read_loop_) ? "x" : "row", ";"});
      if (proven_divisible(extent, tile_width)) continue;
      inside += text(inside.empty() ? "" : " && ", name, " < ", names_.c_index(extent, 0, {}));
    }
    if (inside.empty()) return write();
    const auto block = out_.block({"if (", inside, ")"});
    write();
  }

  void write_tile_reads() {
    Instance instance;
    instance.resize(names_.frames.size());
    for (const ValueId id : transposed_) {
      out_.line({"tile", id, "[row][x] = ", memory_.element(id, instance), ";"});
    }
  }

  Values& values_;
  Memory& memory_;

  Vector<ValueId> transposed_{};  ///< Loads that go through a tile.
  int read_loop_ = -1;            ///< The grid loop along which they are contiguous.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
