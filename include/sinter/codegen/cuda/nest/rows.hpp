#pragma once
// Writes rows that neighbouring threads share: in registers between the stages, where they fit.

#include <cstdint>  // std::int64_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/codegen/cuda/nest/row_registers.hpp>
#include <sinter/codegen/cuda/nest/scans.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class CudaRows : public CudaScans {
 public:
  using CudaScans::CudaScans;

 protected:
  using Share = RowShare;
  using Part = RowFragment;

  /// Decides how rows are shared, and what stays in registers.
  void share_rows();
  /// True if the threads of a row take turns in the last loop of `stage`.
  bool shares_loop(int stage) const;
  /// True if rows, and what is local of them, stay in registers.
  bool in_registers() const { return share_.in_registers; }
  /// "threadIdx.x == 0": which thread of a row does what is done once; "" if a row has but one.
  std::string is_first_thread() const;
  /// Declares what is in registers, and which part of a row is this thread's.
  void write_registers(const std::string& integer);
  /// Writes the loop of `stage` over the elements of a row that are this thread's.
  void write_row(int stage, int position, const std::string& integer);
  void write_row_result(ValueId id, const Instance& instance);

  RowRegisters registers() const { return {layout_, share_, fragments_, fragment_of_}; }
  /// Whether `id` may read before its stage computes, or write after it: nothing there is between.
  bool may_be_moved(ValueId id) const;
  void write_load(ValueId id, const Instance& instance) override;
  void write_store(ValueId id, const Instance& instance) override;
  void write_update(ValueId id, const Instance& instance) override;
  void write_combine(ValueId id, const Instance& instance) override;

  /// Whether rows are combined, column by column: a block has the rows of a chunk then.
  bool combines() const;
  /// Bytes of shared memory with what the rows of a chunk are combined to, behind those `used`.
  Extent place_partials(Extent used);
  void write_partial_memory(Extent used);
  void write_shared_memory();
  /// What a chunk begins with, and its results.
  void write_partial_init(const std::string& integer);
  void write_partial_result(const std::string& integer);

  bool by_rows_ = false;  ///< Whether threads share the points of the grid.
  bool ordered_ = false;  ///< Whether a warp adds up each row in order.
  Share share_{};

 private:
  bool has_plain_rows() const;
  bool is_row_access(ValueId id) const;
  bool is_row_invariant(ValueId id) const;
  bool is_transient(const Part& one) const;
  bool is_transient(const Part& one, int stage) const;
  int last_position(int stage) const;
  bool is_ordered(ValueId id) const;
  bool has_ordered() const;
  void find_fragments(bool whole);
  int first_stage(ValueId id, bool whole) const;
  std::int32_t fragment_of(ValueId id) const;
  int widest_lanes() const;
  int steps_at_once() const;
  void share_whole_rows(std::int64_t length, bool transient);
  void share_long_rows(std::int64_t most);
  void declare_fragment(const Part& one);
  void declare_fragments(int stage);
  void write_transfer(const Part& one, int stage, bool stores, const std::string& begin);
  void write_transfers(int stage, bool stored);
  void write_transient_fragments(int stage, bool stored, const std::string& begin);
  void write_steps(int stage, int position, const std::string& integer);
  void write_pack(int stage, int position, const std::string& begin, const std::string& integer);
  std::string first_element() const;
  std::string fragment_element(ValueId id) const;
  std::string declare_shared_partials(const std::string& name, const std::string& type);
  static std::string partial_name(const Instruction& one);
  Extent partial_bytes(const Instruction& one) const;
  Extent index_in_partial(const Instruction& one) const;
  void for_each_combine(FunctionRef<void(const Instruction&)> visit) const;
  void write_partial_loop(const std::string& integer, const Instruction& one,
                       const std::string& statement);

  Extent length_ = 0;  ///< Of all rows, if they are one.
  std::vector<Part> fragments_{};
  std::vector<std::int32_t> fragment_of_{};  ///< For each value: which of them; -1 if none.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/rows.ipp>
#endif
