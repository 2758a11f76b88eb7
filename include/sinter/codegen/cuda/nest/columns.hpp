#pragma once
// Emits column reductions: neighbouring threads have neighbouring columns, and the rows of a column
// are divided among the rows of threads of a block.

#include <string>  // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/nest/packs.hpp>
#include <sinter/codegen/text/reductions.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class CudaColumns : private KernelPart {
 public:
  CudaColumns(KernelContext& context, Values& values, Memory& memory, Reductions& reductions,
              CudaPacks& packs)
      : KernelPart(context),
        values_(values),
        memory_(memory),
        reductions_(reductions),
        packs_(packs) {}

  /// The threads of a block: `columns` x `rows`; thread row r takes rows r, r + `rows`, ...
  struct Block {
    int columns = 128, rows = 1;
  };

  /// Chooses the block shape for `columns` columns, which are neighbours in memory.
  void share_columns(const Extent& columns);
  const Block& block() const { return block_; }
  /// True if every thread of every block has a column.
  bool all_columns_live() const { return all_columns_live_; }
  /// True if the rows of a column are divided among several threads.
  bool shares_columns() const { return block_.rows > 1; }
  /// The loop of `stage` whose iterations are divided among threads.
  int shared_position(int stage) const;
  /// Writes the innermost shared loop of `stage` with prefetching: a thread loads several rows
  /// before it computes, to overlap the latencies. Writes nothing and returns false if no load can
  /// be moved.
  bool write_prefetched_rows(int stage, const std::string& integer);
  /// True if the load `id` was prefetched; writes it.
  bool is_prefetched(ValueId id) const { return contains(prefetched_, id); }
  void write_load(ValueId id, const Instance& instance);
  void write_column_result(ValueId id, const Instance& instance);
  /// The condition under which a thread stores in `stage`; "" if always.
  std::string column_condition(int stage) const;

 private:
  bool may_share_rows() const;
  std::int64_t longest_column() const;
  std::int64_t column_partial_bytes() const;
  bool may_prefetch(ValueId id) const;
  int prefetch_rows(const Vector<ValueId>& loads) const;
  void write_row_steps(const std::string& name, const Extent& length, int steps, int stage,
                       const std::string& integer, FunctionRef<void()> write);
  void write_prefetch_load(ValueId id);

  Values& values_;
  Memory& memory_;
  Reductions& reductions_;
  CudaPacks& packs_;
  Block block_{};
  bool all_columns_live_ = false;
  Vector<ValueId> prefetched_{};  ///< Prefetched loads of the loop that is being written.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/columns.ipp>
#endif
