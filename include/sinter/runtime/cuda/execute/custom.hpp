#pragma once
// Custom operations on a GPU: host functions that get copies, and kernels between guards.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/submission.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Waits for the stream, calls the host function of `control` with copies of the operands at
/// `pointers`, and copies what it gives to the results behind them.
void call_on_host(CudaSubmission& work, const schedule::Control& control,
                  Span<void* const> pointers, Span<const std::int64_t> symbols, Where where);

/// Memory for a kernel of a custom operation under SINTER_CHECK: copies of its operands, and its
/// results, each between two guards.
class GuardedMemory {
 public:
  /// `bytes` are those at each of `pointers`, those of `kernel` in order.
  GuardedMemory(CudaSubmission& work, const schedule::Kernel& kernel, Span<void* const> pointers,
                Span<const std::int64_t> bytes, Where where);

  /// In place of the pointers.
  const Vector<void*>& guarded() const { return guarded_; }
  /// Waits for the kernel and copies the results to where they belong. Throws ValueError if it
  /// wrote to a guard or to an operand.
  void finish();

 private:
  Storage host_copy(std::size_t argument) const;
  void copy_on_device(const void* from, const void* to, std::int64_t bytes) const;

  CudaSubmission& work_;
  const schedule::Kernel& kernel_;
  Span<void* const> pointers_;
  Span<const std::int64_t> bytes_;
  Where where_;
  Vector<Storage> blocks_{}, before_{};
  Vector<void*> guarded_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/execute/custom.ipp>
#endif
