#pragma once
// Custom operations that enqueue their work on a stream: collectives of NCCL, for one.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/device.hpp>
#include <sinter/graph/custom/stream_kernel.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// A call of the StreamKernel of `control` with the GPU memory at `pointers`: operands, then
/// results.
class StreamCall {
 public:
  /// `control` must outlive it.
  StreamCall(const schedule::Control& control, Span<void* const> pointers,
             Span<const std::int64_t> symbols);
  StreamCall(const StreamCall&) = delete;
  StreamCall& operator=(const StreamCall&) = delete;

  void prepare(Device device) const;
  void enqueue(Device device, void* stream) const;

 private:
  std::span<const RawTensor> in() const;
  std::span<const RawTensor> out() const;

  const schedule::Control& control_;
  Vector<SmallVector<std::int64_t, 8>> shapes_{};
  Vector<RawTensor> tensors_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/library/stream_call.ipp>
#endif
