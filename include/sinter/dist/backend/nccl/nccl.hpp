#pragma once
// The transport between GPUs: NCCL, with communicators that are set up over MPI.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::nccl {

/// Makes NCCL the transport between GPUs. Idempotent.
bool install();

// In every translation unit, so that it is installed before main() starts.
[[maybe_unused]] static const bool is_installed = install();

}  // namespace sinter::inline SINTER_ABI::detail::nccl

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/backend/nccl/nccl.ipp>
#endif
