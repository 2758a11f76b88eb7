#pragma once
// Submits GPU work from a thread, ordered with other work on the same memory.

#include <sinter/base/container/span.hpp>
#include <sinter/base/where.hpp>
#include <sinter/device/cuda/stream_order.hpp>
#include <sinter/device/host/storage.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A submission of launches and copies to the stream of this thread. First declare the GPU memory
/// that they read and write: the stream then waits for conflicting work of other streams. Then call
/// the driver. The storages must live until all work that uses them is submitted.
class CudaSubmission {
 public:
  explicit CudaSubmission(Device device, Where where = Where::current());
  CudaSubmission(const CudaSubmission&) = delete;
  CudaSubmission& operator=(const CudaSubmission&) = delete;
  ~CudaSubmission();

  void reads(const Storage& memory);
  /// The bytes are about to change: drops the attachments of `memory`.
  void writes(const Storage& memory);
  /// The same for all storages on this GPU; ignores others, and null.
  void reads(Span<const Storage* const> memory);
  void writes(Span<const Storage* const> memory);

  CudaContext& context() const { return stream_.context; }
  CudaStream& stream() const { return stream_; }
  const CudaDriver& driver() const { return context().driver(); }
  /// Throws DeviceError unless `result`, returned by the driver function `call`, is 0.
  void check(int result, const char* call) const { context().check(result, call, where_); }
  /// Waits on the host for this and all earlier work of this thread.
  void wait();

 private:
  void note_read(CudaUses& uses);
  void note_write(CudaUses& uses);

  CudaStream& stream_;
  Where where_;
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/submission.ipp>
#endif
