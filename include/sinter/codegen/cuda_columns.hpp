#pragma once
// Writes columns whose rows the threads of a block share: neighbouring threads have neighbouring
// columns, and each row of threads takes every so manieth row.

#include <string>  // std::string

#include <sinter/codegen/cuda_rows.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::codegen {

class CudaColumns : public CudaRows {
 public:
  using CudaRows::CudaRows;

 protected:
  /// How a block shares columns: `columns` times `rows` threads.
  struct Block {
    int columns = 128, rows = 1;
  };

  /// Decides how the rows of the columns, which are `columns` and neighbours in memory, are shared.
  void share_columns(const Extent& columns);
  /// True if threads share the rows of a column.
  bool shares_columns() const { return block_.rows > 1; }
  /// The loop of `stage` whose iterations they share.
  int shared_position(int stage) const;
  void write_column_result(ValueId id, const Instance& instance);
  /// What a thread asks before it stores in `stage`; "" if nothing.
  std::string column_condition(int stage) const;

  Block block_{};
  bool all_live_ = false;  ///< Whether every thread of a block has a column.

 private:
  bool may_share_rows() const;
  std::int64_t longest_column() const;
  std::int64_t part_bytes() const;
};

}  // namespace sinter::inline SINTER_ABI::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda_columns.ipp>
#endif
