#pragma once
// Pinned staging buffers for large copies between host and GPU.

#include <cstddef>  // std::byte, std::size_t

#include <sinter/base/container/vector.hpp>
#include <sinter/base/where.hpp>
#include <sinter/device/cuda/context.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The bytes of a staging buffer: enough for full bus bandwidth, and small enough that host and GPU
/// copies overlap.
inline constexpr std::size_t staging_bytes = std::size_t{4} << 20;

/// A pinned buffer, and the event after which it is free.
struct CudaStagingBuffer {
  void* memory = nullptr;
  CudaDriver::Handle event = nullptr;
};

/// The staging buffers of one GPU, used round-robin; guarded by cuda_mutex().
struct CudaStagingPool final : CudaContextState {
  static constexpr int max_buffers = 4;

  Vector<CudaStagingBuffer> idle{};  // least recently used first
  int count = 0;

  void close(const CudaDriver& driver) noexcept override;
};

/// Borrows a staging buffer; the constructor waits for the GPU's last use of it.
class CudaStagingLease {
 public:
  CudaStagingLease(CudaContext& context, Where where);
  CudaStagingLease(const CudaStagingLease&) = delete;
  CudaStagingLease& operator=(const CudaStagingLease&) = delete;
  ~CudaStagingLease();

  std::byte* data() const { return static_cast<std::byte*>(buffer_.memory); }
  /// Records that work submitted to `stream` so far uses the buffer.
  void used_by(const CudaStream& stream);
  /// Waits for that work.
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
