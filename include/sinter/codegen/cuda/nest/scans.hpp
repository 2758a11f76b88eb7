#pragma once
// Writes what combines the elements of a row up to each of them, as the threads of a block do it.

#include <string>  // std::string

#include <sinter/codegen/cuda/nest/packs.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class CudaScans : public CudaPacks {
 public:
  using CudaPacks::CudaPacks;

 protected:
  /// True if the threads of a block share each row of a kernel with `tasks` of them: where their
  /// elements are neighbours, or where there is not a row for each of many threads.
  bool scans(Extent tasks) const;
  /// True if `stage` has a running value.
  bool has_scan(int stage) const;
  /// Writes the loop over the row of `stage`: all threads take part in all of its steps, those
  /// beyond the end with its last element. Sums that keep their order are one thread's.
  void write_scan(int stage, const std::string& integer);
  /// True if only the threads that are not beyond the end may store in `stage`.
  bool is_shared_scan(int stage) const { return scans_ && !in_order_ && has_scan(stage); }
  void write_running(ValueId id, const Instance& instance) override;

  bool scans_ = false, in_order_ = false;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/scans.ipp>
#endif
