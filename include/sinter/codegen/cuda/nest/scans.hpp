#pragma once
// Emits scans (prefix sums and products) that the threads of a block compute together.

#include <string>  // std::string

#include <sinter/codegen/cuda/nest/packs.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class CudaScans : public CudaPacks {
 public:
  using CudaPacks::CudaPacks;

 protected:
  /// True if the threads of a block share each of `tasks` rows: if the elements of a row are
  /// neighbours in memory, or there are too few rows for a thread each.
  bool scans(Extent tasks) const;
  /// True if `stage` has a scan.
  bool has_scan(int stage) const;
  /// Writes the loop over the row of `stage`. All threads run all iterations; those past the end
  /// use the last element. Strict sums are computed by one thread, in order.
  void write_scan(int stage, const std::string& integer);
  /// True if threads past the end must not store in `stage`.
  bool is_shared_scan(int stage) const { return scans_ && !in_order_ && has_scan(stage); }
  void write_running(ValueId id, const Instance& instance) override;

  bool scans_ = false, in_order_ = false;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/scans.ipp>
#endif
