#pragma once
// The communicators of this process: what creates, watches, aborts and ends them.

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/context.hpp>
#include <sinter/dist/backend/nccl/table.hpp>
#include <sinter/dist/collective/transport.hpp>

namespace sinter::inline SINTER_ABI::detail::nccl {

using Communicator = Functions::Handle;

/// The communicators of a GPU, by the number of the group.
struct Communicators final : CudaContextState {
  void close(const CudaDriver& driver) noexcept override;

  SortedMap<int, Communicator> by_group{};
};

/// Creates that of group `number` for GPU `gpu`, unless there is one; all ranks of the group come.
/// From then on the host watches the ranks while it waits for the GPU. Throws RankError if a rank
/// fails, DeviceError if NCCL does.
void require_communicator(const collective::Call& call, int number, int gpu);

/// The communicator of group `number`. Throws RankError after a failure.
Communicator communicator(const collective::Call& call, int number, int gpu);

/// Returns when the call of `function` that gave `status` is done. Throws as above.
void finish(const collective::Call& call, Communicator communicator, int status,
            const char* function);

/// Ends all communicators, and what GPUs run with them if something `has_failed`. Does not wait
/// long.
void end_communicators(bool has_failed) noexcept;

}  // namespace sinter::inline SINTER_ABI::detail::nccl

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/backend/nccl/communicators.ipp>
#endif
