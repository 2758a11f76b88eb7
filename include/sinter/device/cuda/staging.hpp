#pragma once
// Pinned memory of the host, through which large copies from and to a GPU go.

#include <cstddef>  // std::byte, std::size_t
#include <vector>   // std::vector

#include <sinter/base/where.hpp>
#include <sinter/device/cuda/context.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The bytes of a buffer: max_buffers for the full speed of a bus, few max_buffers that the copy by the host
/// and the one by the GPU run at the same time.
inline constexpr std::size_t staging_bytes = std::size_t{4} << 20;

/// One piece of pinned memory, and the event after which it is free again.
struct CudaStagingBuffer {
  void* memory = nullptr;
  CudaDriver::Handle event = nullptr;
};

/// The chunks of one GPU, under cuda_mutex(): a few, used in turns.
struct CudaStagingPool final : CudaContextState {
  static constexpr int max_buffers = 4;

  std::vector<CudaStagingBuffer> idle{};  // the one that was used longest ago comes first
  int count = 0;

  void close(const CudaDriver& driver) noexcept override;
};

/// A buffer on loan. It begins when the GPU is done with what went through it before.
class CudaStagingLease {
 public:
  CudaStagingLease(CudaContext& context, Where where);
  CudaStagingLease(const CudaStagingLease&) = delete;
  CudaStagingLease& operator=(const CudaStagingLease&) = delete;
  ~CudaStagingLease();

  std::byte* data() const { return static_cast<std::byte*>(buffer_.memory); }
  /// What `stream` was given up to now uses the buffer.
  void used_by(const CudaStream& stream);
  /// Waits until that is done.
  void wait();

 private:
  CudaStagingLease(CudaContext& context, Where where, CudaStagingBuffer buffer)
      : context_(context), where_(where), buffer_(buffer) {}

  CudaContext& context_;
  Where where_;
  CudaStagingBuffer buffer_;
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/staging.ipp>
#endif
