#pragma once
// The backend for GPUs: what all stages do with them by CUDA, which this header alone brings into a
// program.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Makes CUDA the backend of device, compile and jit. Idempotent.
bool install_cuda();

namespace detail {
// In every translation unit, so that the backend is installed before main() starts.
[[maybe_unused]] static const bool cuda_is_installed = install_cuda();
}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/cuda/backend.ipp>
#endif
