#pragma once
// The GPUs of the CUDA driver, as the interface through which the library uses GPUs.

#include <sinter/config.hpp>
#include <sinter/device/host/gpu.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// GPUs by the CUDA driver. The driver is loaded at first use.
const GpuBackend& cuda_backend();

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/backend/backend.ipp>
#endif
