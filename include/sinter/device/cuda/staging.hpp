#pragma once
// Pinned memory of the host, through which large copies from and to a GPU go.

#include <cstddef>  // std::byte, std::size_t
#include <vector>   // std::vector

#include <sinter/base/where.hpp>
#include <sinter/device/cuda/context.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The bytes of a chunk: enough for the full speed of a bus, few enough that the copy by the host
/// and the one by the GPU run at the same time.
inline constexpr std::size_t staging_bytes = std::size_t{4} << 20;

/// One piece of pinned memory, and the event after which it is free again.
struct CudaChunk {
  void* memory = nullptr;
  CudaDriver::Handle event = nullptr;
};

/// The chunks of one GPU, under cuda_mutex(): a few, used in turns.
struct CudaStaging final : CudaPart {
  static constexpr int enough = 4;

  std::vector<CudaChunk> idle{};  // the one that was used longest ago comes first
  int count = 0;

  void close(const CudaDriver& driver) noexcept override;
};

/// A chunk on loan. It begins when the GPU is done with what went through it before.
class CudaChunkLoan {
 public:
  CudaChunkLoan(CudaContext& context, Where where);
  CudaChunkLoan(const CudaChunkLoan&) = delete;
  CudaChunkLoan& operator=(const CudaChunkLoan&) = delete;
  ~CudaChunkLoan();

  std::byte* data() const { return static_cast<std::byte*>(chunk_.memory); }
  /// What `stream` was given up to now uses the chunk.
  void used_by(const CudaStream& stream);
  /// Waits until that is done.
  void wait();

 private:
  CudaChunkLoan(CudaContext& context, Where where, CudaChunk chunk)
      : context_(context), where_(where), chunk_(chunk) {}

  CudaContext& context_;
  Where where_;
  CudaChunk chunk_;
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/staging.ipp>
#endif
