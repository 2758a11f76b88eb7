#pragma once
// Emits scans (prefix sums and products) that the threads of a block compute together.

#include <string>  // std::string

#include <sinter/codegen/text/reductions.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class CudaScans : private KernelPart {
 public:
  CudaScans(KernelContext& context, Values& values, Reductions& reductions);

  /// Decides whether the threads of a block share each of `tasks` rows: if the elements of a row
  /// are neighbours in memory, or there are too few rows for a thread each.
  void share_rows(Extent tasks);
  bool shares_rows() const { return shares_rows_; }
  /// True if `stage` contains a scan, and each of its rows is divided among threads.
  bool scans(int stage) const { return shares_rows_ && has_scan(stage); }
  /// Writes the loop over the row of `stage`. All threads run all iterations; those past the end
  /// use the last element. Strict sums are computed by one thread, in order.
  void write_scan(int stage, const std::string& integer);
  /// True if threads past the end must not store in `stage`.
  bool is_shared_scan(int stage) const { return scans(stage) && !in_order_; }
  /// Writes a step of the scan `id`.
  void write_running(ValueId id, const Instance& instance);

 private:
  bool has_scan(int stage) const;

  Values& values_;
  Reductions& reductions_;
  bool shares_rows_ = false, in_order_ = false;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/scans.ipp>
#endif
