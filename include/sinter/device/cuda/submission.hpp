#pragma once
// A piece of work that a thread gives to a GPU, in order with what else uses its memory.

#include <span>    // std::span
#include <vector>  // std::vector

#include <sinter/base/where.hpp>
#include <sinter/device/cuda/stream_order.hpp>
#include <sinter/device/host/storage.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Launches and copies on the stream of this thread. First say what memory of GPUs they read and
/// write: the stream then waits for the work of others that stands against it. Then give them to
/// the driver. The storages must live until the driver has been given all that uses them.
class CudaSubmission {
 public:
  explicit CudaSubmission(Device device, Where where = Where::current());
  CudaSubmission(const CudaSubmission&) = delete;
  CudaSubmission& operator=(const CudaSubmission&) = delete;
  ~CudaSubmission();

  void reads(const Storage& memory);
  /// The bytes are about to change: nothing that was derived from them is kept.
  void writes(const Storage& memory);
  /// The same for all that are memory of this GPU; others, and null, are passed over.
  void reads(std::span<const Storage* const> memory);
  void writes(std::span<const Storage* const> memory);

  CudaContext& context() const { return stream_.context; }
  CudaStream& stream() const { return stream_; }
  const CudaDriver& driver() const { return context().driver(); }
  /// DeviceError unless `result`, what the driver's function `call` gave, is 0.
  void check(int result, const char* call) const { context().check(result, call, where_); }
  /// Waits on the host until it is done, and all that this thread gave before.
  void wait();

 private:
  void note_read(std::vector<CudaUse>& uses);
  void note_write(std::vector<CudaUse>& uses);

  CudaStream& stream_;
  Where where_;
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/submission.ipp>
#endif
