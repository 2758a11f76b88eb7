#pragma once
// Creates, watches, aborts and destroys the NCCL communicators of this process.

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

/// Creates the communicator of group `number` on GPU `gpu` if there is none; all ranks of the group
/// call it. From then on the host watches the other ranks while it waits for the GPU. Throws
/// RankError if a rank fails, DeviceError if NCCL does.
void require_communicator(const collective::Call& call, int number, int gpu);

/// The communicator of group `number`. Throws RankError after a failure.
Communicator communicator(const collective::Call& call, int number, int gpu);

/// Waits until the call of `function` that returned `status` is complete. Throws as
/// require_communicator().
void finish(const collective::Call& call, Communicator communicator, int status,
            const char* function);

/// Destroys all communicators; if a rank `has_failed`, aborts them with the kernels that use them.
/// Waits at most 1 s.
void end_communicators(bool has_failed) noexcept;

}  // namespace sinter::inline SINTER_ABI::detail::nccl

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/backend/nccl/communicators.ipp>
#endif
