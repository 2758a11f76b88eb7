#pragma once
// Writes columns whose rows the threads of a block share: neighbouring threads have neighbouring
// columns, and each row of threads takes every so manieth row.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/codegen/cuda/nest/rows.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

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
  /// Writes the innermost loop of `stage`, whose iterations they share: a thread reads those of
  /// some rows before it computes, so that it waits once. False, without any text, if nothing can
  /// be.
  bool write_rows_at_once(int stage, const std::string& integer);
  void write_load(ValueId id, const Instance& instance) override;
  void write_column_result(ValueId id, const Instance& instance);
  /// What a thread asks before it stores in `stage`; "" if nothing.
  std::string column_condition(int stage) const;

  Block block_{};
  bool all_live_ = false;  ///< Whether every thread of a block has a column.

 private:
  bool may_share_rows() const;
  std::int64_t longest_column() const;
  std::int64_t part_bytes() const;
  bool may_be_early(ValueId id) const;
  bool is_early(ValueId id) const;
  int rows_at_once(const std::vector<ValueId>& loads) const;
  void write_steps_of(const std::string& name, const Extent& length, int steps, int stage,
                      const std::string& integer, FunctionRef<void()> write);
  void write_early_load(ValueId id);

  std::vector<ValueId> early_{};  ///< Loads of the loop that is written, which come before it.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/columns.ipp>
#endif
