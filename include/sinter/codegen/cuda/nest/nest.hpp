#pragma once
// Emits loop nests as CUDA: threads share a row or a column, or each thread has a tile of the grid.

#include <string>  // std::string

#include <sinter/codegen/cuda/nest/columns.hpp>
#include <sinter/codegen/cuda/nest/function_head.hpp>
#include <sinter/codegen/cuda/nest/launch.hpp>
#include <sinter/codegen/cuda/nest/options.hpp>
#include <sinter/codegen/cuda/nest/rows.hpp>
#include <sinter/codegen/cuda/nest/scans.hpp>
#include <sinter/codegen/cuda/nest/transpose.hpp>
#include <sinter/codegen/text/kernel_writer.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class CudaNest final : public KernelWriter {
 public:
  CudaNest(const Kernel& kernel, const CudaOptions& options);
  /// The text of the function `name`.
  std::string function(const std::string& name);
  CudaLaunch launch() const;

  void write_instruction(ValueId id, const Instance& instance) override;
  void write_update(ValueId id, const Instance& instance) override {
    rows_.write_update(id, instance);
  }
  void write_result(ValueId id, const Instance& instance) override;

 private:
  bool transposes() const { return tiles_.transposes(); }
  void write_load(ValueId id, const Instance& instance);
  void write_store(ValueId id, const Instance& instance);
  /// The condition under which a thread stores in `stage`; "" if always.
  std::string store_condition(int stage) const;
  bool needs_atomic(ValueId id) const;
  void write_atomic_add(ValueId id, const Instance& instance);
  void write_body();
  void write_rows();
  void write_grid(const Extent& tasks);
  void write_position();
  bool needs_restart(int position) const;
  void write_tile(int position);
  void write_partial();
  void write_serial_loops(int position);
  void write_task_barrier();
  void write_partial_barrier() {
    if (rows_.share().threads > 1) write_barrier();
  }
  void write_tile_frame(int position, int unroll);
  void write_stages();
  void write_loop(int stage, int position);
  bool needs_barrier_after(int stage) const;
  bool may_alias_load(ValueId id) const;
  void write_barrier();
  void write_own_column();
  int threads_of_block() const;
  int unroll_of(int position) const;
  Extent steps_of(int position) const;
  Extent tasks() const;
  std::vector<Extent> counts() const;
  std::string c(Extent extent) const { return names_.c_index(extent, 0, {}); }

  CudaFunction function_;
  CudaPacks packs_{context_, values_, memory_};
  CudaScans scans_{context_, values_, reductions_};
  CudaRows rows_{context_, values_, memory_, reductions_, packs_};
  CudaColumns columns_{context_, values_, memory_, reductions_, packs_};
  CudaTranspose tiles_{context_, values_, memory_};
  bool synchronized_ = false;  ///< There was a barrier since the last load.
  std::string integer_;
  Extent shared_bytes_ = 0, row_bytes_ = 0;  ///< Shared memory: total; for local rows.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/nest.ipp>
#endif
