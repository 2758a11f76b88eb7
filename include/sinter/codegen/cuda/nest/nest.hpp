#pragma once
// Writes the loops of a kernel as CUDA: threads that share a row or a column, or one for each tile.

#include <string>  // std::string

#include <sinter/codegen/cuda/nest/launch.hpp>
#include <sinter/codegen/cuda/nest/transpose.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

/// True if `extent` is known to fit in 31 bits.
bool small(Extent extent);

}  // namespace detail

class CudaNest : public CudaTiles {
 public:
  CudaNest(const Kernel& kernel, bool strict, const Tuning& tuning = {});
  /// The text of the function that is called `name`.
  std::string function(const std::string& name);
  CudaLaunch launch() const;

 private:
  void write_load(ValueId id, const Instance& instance) override;
  void write_store(ValueId id, const Instance& instance) override;
  bool meets_others(ValueId id) const;
  void write_addition(ValueId id, const Instance& instance);
  void write_result(ValueId id, const Instance& instance) override;

  std::string parameters() const;
  void write_body();
  void write_rows();
  void write_grid(const Extent& tasks);
  void write_position();
  bool restarts(int position) const;
  void write_tile(int position);
  void write_chunk();
  void write_in_order(int position);
  void write_row_end();
  void write_chunk_meeting();
  void write_open(int position, int unroll);
  void write_stages() override;
  void write_loop(int stage, int position);
  bool hands_on(int stage) const;
  bool may_lie_where_read(ValueId id) const;
  void write_meeting();
  void write_own_column();
  int threads_of_block() const;
  int unroll_of(int position) const;
  Extent steps_of(int position) const;
  Extent tasks() const;
  std::string c(Extent extent) const { return c_index(extent, 0, {}); }

  bool sorts_ = false;
  bool met_ = false;  ///< Whether the threads of a row, or block, have met since the last load.
  std::string integer_{"long"};
  Extent shared_bytes_ = 0, row_bytes_ = 0;  ///< In all; of local rows.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/nest.ipp>
#endif
