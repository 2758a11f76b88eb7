#pragma once
// The order of work on GPUs: which streams used a piece of memory last, and who waits for whom.

#include <cstdint>  // std::uint64_t

#include <sinter/base/where.hpp>
#include <sinter/device/cuda/context.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// What a stream did last with a piece of memory: the numbers of its work, 0 for never.
struct CudaUse {
  CudaStream* stream = nullptr;
  std::uint64_t read = 0, written = 0;
  std::uint64_t last() const { return read > written ? read : written; }
};

/// True if work that is given to `stream` from now on runs after what `use` stands for; under
/// cuda_mutex().
bool runs_after(const CudaStream& stream, const CudaUse& use);

/// Makes the work that is given to `stream` from now on run after `work` of `other`, without
/// waiting on the host; under cuda_mutex().
void run_after(CudaStream& stream, CudaStream& other, std::uint64_t work, Where where);

/// Waits on the host until all that `stream` has been given is done; not under cuda_mutex().
void synchronize(CudaStream& stream, Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/stream_order.ipp>
#endif
