#pragma once
// Queries the GPUs of this machine, and reports errors of the driver.

#include <cstddef>  // std::size_t
#include <string>   // std::string

#include <sinter/base/where.hpp>
#include <sinter/device/cuda/driver.hpp>
#include <sinter/device/host/device.hpp>
#include <sinter/device/host/gpu.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The number of GPUs that the driver reports; 0 without a driver.
int cuda_count();

/// why_not_runnable() and way_to_run() of a GPU.
std::string why_cuda_cannot_run(Device device);
std::string way_to_run_cuda(Device device);

/// "sm_90" for a GPU of compute capability 9.0. DeviceError if there is no such GPU.
std::string cuda_architecture(Device device, Where where = Where::current());

/// The attribute `number` of CudaDriver::device_attribute; 0 if the driver does not know it.
int cuda_attribute(Device device, int number);

/// GpuBackend::facts().
GpuFacts cuda_facts();

/// The limit on the argument bytes of a kernel, for NVRTC and the driver of this machine.
std::size_t most_argument_bytes();

[[noreturn]] void throw_cuda_error(int result, const char* call, Device device, Where where);

/// Throws DeviceError unless `result`, returned by the driver function `call` for `device`, is 0.
inline void cuda_check(int result, const char* call, Device device, Where where) {
  if (result != 0) detail::throw_cuda_error(result, call, device, where);
}

/// Throws DeviceError, with the reason, unless `device` is the host or a GPU that the driver
/// reports.
void require_present(Device device, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/query.ipp>
#endif
