#pragma once
// Writes the loops of a kernel as CUDA: a block for each row, or a thread for each tile.

#include <string>  // std::string

#include <sinter/codegen/cuda_launch.hpp>
#include <sinter/codegen/cuda_scans.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::codegen {

class CudaNest : public CudaScans {
 public:
  CudaNest(const Kernel& kernel, bool strict);
  /// The text of the function that is called `name`.
  std::string function(const std::string& name);
  CudaLaunch launch() const;

 private:
  void write_store(ValueId id, const Instance& instance) override;
  void write_result(ValueId id, const Instance& instance) override;

  std::string parameters() const;
  void write_body();
  void write_rows();
  void write_grid(const Extent& tasks);
  void write_position();
  bool restarts(int position) const;
  void write_tile(int position);
  void write_open(int position, int unroll);
  void write_stages();
  void write_loop(int stage, int position);
  bool shares_loop(int stage) const;
  bool stores(int stage) const;
  int unroll_of(int position) const;
  Extent steps_of(int position) const;
  Extent tasks() const;
  std::string c(Extent extent) const { return c_index(extent, 0, {}); }

  bool by_rows_ = false;  ///< A block for each point of the grid.
  bool sorts_ = false;
  std::string integer_{"long"};
  Extent shared_bytes_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda_nest.ipp>
#endif
