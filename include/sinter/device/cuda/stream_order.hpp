#pragma once
// Ordering of GPU work: the last uses of memory by each stream, and waits between streams.

#include <cstdint>  // std::uint64_t

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/where.hpp>
#include <sinter/device/cuda/context.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The last uses of memory by a stream: the numbers of its submissions, 0 for never.
struct CudaUse {
  CudaStream* stream = nullptr;
  std::uint64_t read = 0, written = 0;
  std::uint64_t last() const { return read > written ? read : written; }
};

/// The uses of one block. Nearly always, a single stream has used it.
using CudaUses = SmallVector<CudaUse, 1>;

/// True if later work of `stream` runs after `use` in any case. The caller holds cuda_mutex().
bool runs_after(const CudaStream& stream, const CudaUse& use);

/// Makes later work of `stream` run after submission `work` of `other`, without waiting on the
/// host. The caller holds cuda_mutex().
void run_after(CudaStream& stream, CudaStream& other, std::uint64_t work, Where where);

/// How the host waits for a GPU: returns when `is_done` gives true, or throws. Set while another
/// process, which may fail, can keep the GPU waiting; else null.
using HostWait = void (*)(FunctionRef<bool()> is_done, Where where);
std::atomic<HostWait>& host_wait();

/// Waits on the host for what the driver has of a stream, or for an event. The caller must not hold
/// cuda_mutex().
void await_stream(const CudaContext& context, CudaDriver::Handle stream, Where where);
void await_event(const CudaContext& context, CudaDriver::Handle event, Where where);
/// Waits for a stream by host_wait(), if there is one: before a call of the driver that waits for
/// the stream itself, as a copy to memory that is not page-locked does.
void await_others(const CudaContext& context, CudaDriver::Handle stream, Where where);

/// Waits on the host for all work of `stream`. The caller must not hold cuda_mutex().
void synchronize(CudaStream& stream, Where where);

/// The same for all work of `device`, a GPU.
void synchronize_cuda(Device device, Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/stream_order.ipp>
#endif
