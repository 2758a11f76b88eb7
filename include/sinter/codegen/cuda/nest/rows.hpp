#pragma once
// Emits kernels whose rows are shared by neighbouring threads. Rows that fit stay in registers
// between stages.

#include <cstdint>  // std::int64_t
#include <string>   // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/nest/packs.hpp>
#include <sinter/codegen/cuda/nest/row_registers.hpp>
#include <sinter/codegen/text/reductions.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class CudaRows : private KernelPart {
 public:
  CudaRows(KernelContext& context, Values& values, Memory& memory, Reductions& reductions,
           CudaPacks& packs)
      : KernelPart(context),
        values_(values),
        memory_(memory),
        reductions_(reductions),
        packs_(packs) {}

  /// Decides how rows are shared, and whether they stay in registers.
  void share_rows();
  /// Shares each row among the `threads` of a block, which sort or scan it.
  void share_rows_of_block(int threads);
  /// True if threads share the rows: a row is a point of the grid.
  bool by_rows() const { return by_rows_; }
  const RowShare& share() const { return share_; }
  /// True if the iterations of the last loop of `stage` are divided among the threads of a row.
  bool shares_loop(int stage) const { return by_rows_ && !layout_.stages[stage].empty(); }
  /// True if rows, including local ones, stay in registers.
  bool in_registers() const { return share_.in_registers; }
  /// The condition for code that runs once per row: "threadIdx.x == 0"; "" if a row has one thread.
  std::string is_first_thread() const;
  /// Declares the fragments, and the first element of this thread.
  void write_registers(const std::string& integer);
  /// Writes the loop of `stage` over this thread's elements of a row.
  void write_row(int stage, int position, const std::string& integer);
  void write_row_result(ValueId id, const Instance& instance);

  /// True if `id` accesses a fragment: elements that the thread holds in registers.
  bool holds(ValueId id) const { return fragment_of(id) >= 0; }
  /// Write the access `id` of a fragment.
  void write_load(ValueId id, const Instance& instance);
  void write_store(ValueId id, const Instance& instance);
  void write_update(ValueId id, const Instance& instance);
  void write_combine(ValueId id, const Instance& instance);

  /// True if rows are also reduced column by column (sibling fusion of partial reductions): each
  /// task of a block is then one group of rows, with one partial result.
  bool combines() const;
  /// Bytes of shared memory, including partial results, which lie behind the `used` bytes.
  Extent place_partials(Extent used);
  void write_partial_memory(Extent used);
  void write_shared_memory();
  /// Initialises the partial results; stores them.
  void write_partial_init(const std::string& integer);
  void write_partial_result(const std::string& integer);

 private:
  using Fragment = RowFragment;

  RowRegisters registers() const {
    return {layout_, share_, fragments_, fragment_of_, context_.target};
  }
  bool has_plain_rows() const;
  bool is_row_access(ValueId id) const;
  bool is_row_invariant(ValueId id) const;
  bool is_transient(const Fragment& one) const;
  bool is_transient(const Fragment& one, int stage) const;
  bool is_ordered(ValueId id) const;
  bool has_ordered() const;
  void find_fragments(bool whole);
  int first_stage(ValueId id, bool whole) const;
  std::int32_t fragment_of(ValueId id) const;
  int widest_lanes() const;
  int steps_at_once() const;
  void share_whole_rows(std::int64_t length, bool transient);
  void share_long_rows(std::int64_t most);
  void declare_fragment(const Fragment& one);
  void declare_fragments(int stage);
  void write_transfer(const Fragment& one, int stage, bool stores, const std::string& begin);
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

  Values& values_;
  Memory& memory_;
  Reductions& reductions_;
  CudaPacks& packs_;
  bool by_rows_ = false;
  bool ordered_ = false;  ///< A warp sums each row in element order (strict).
  RowShare share_{};
  Extent length_ = 0;  ///< Length of the rows, if all stages have the same.
  Vector<Fragment> fragments_{};
  Vector<std::int32_t> fragment_of_{};  ///< For each value: its fragment; -1 if none.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/rows.ipp>
#endif
