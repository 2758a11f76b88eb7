#pragma once
// Copies between the host and GPUs, and between GPUs: how device/host/copy.hpp does them with CUDA.

#include <sinter/base/where.hpp>
#include <sinter/device/host/copy.hpp>
#include <sinter/device/host/storage.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// copy_bytes(), where `to` or `from` is on a GPU, or both are; `from` is not empty.
void cuda_copy_bytes(const Storage& to, const Storage& from, Where where);

/// host_bytes() of GPU memory.
const void* cuda_host_bytes(const Storage& memory, Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/copy.ipp>
#endif
