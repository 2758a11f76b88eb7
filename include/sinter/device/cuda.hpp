#pragma once
// The CUDA driver: a table of its functions, loaded at first use.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::uint64_t
#include <string>   // std::string

#include <sinter/base/where.hpp>
#include <sinter/device/device.hpp>
#include <sinter/device/library.hpp>

namespace sinter::inline SINTER_ABI {

/// The functions of the driver that sinter calls; their types are those of cuda.h, which is not
/// needed to build. A result is 0 on success, contexts, modules, functions and streams are opaque.
struct CudaDriver {
  using Handle = void*;
  using Address = std::uint64_t;

  int (*init)(unsigned flags) = nullptr;
  int (*error_string)(int result, const char** text) = nullptr;
  int (*device_count)(int* count) = nullptr;
  int (*device)(int* device, int index) = nullptr;
  int (*device_attribute)(int* value, int attribute, int device) = nullptr;
  int (*retain_context)(Handle* context, int device) = nullptr;
  int (*set_context)(Handle context) = nullptr;
  int (*load_module)(Handle* module, const void* image) = nullptr;
  int (*unload_module)(Handle module) = nullptr;
  int (*function)(Handle* function, Handle module, const char* name) = nullptr;
  int (*allocate)(Address* address, std::size_t bytes) = nullptr;
  int (*free)(Address address) = nullptr;
  int (*copy_to_device)(Address to, const void* from, std::size_t bytes) = nullptr;
  int (*copy_to_host)(void* to, Address from, std::size_t bytes) = nullptr;
  int (*launch)(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                Handle stream, void** arguments, void** extra) = nullptr;
  int (*synchronize)() = nullptr;
};

/// The initialised driver of this machine, or null.
const CudaDriver* cuda_driver();

/// Why cuda_driver() is null; empty if it is not.
const std::string& cuda_missing();

/// Puts `table` in the place of the driver, and null the driver back; gives the table before. For
/// an emulator in tests.
const CudaDriver* replace_cuda_driver(const CudaDriver* table);

/// The number of GPUs that the driver offers; 0 without a driver.
int cuda_device_count();

/// "sm_90" for a GPU of compute capability 9.0. DeviceError if there is no such GPU.
std::string cuda_architecture(Device device, Where where = Where::current());

/// Throws DeviceError, with the reason, unless `device` can run operations in this version.
void require_runnable(Device device, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda.ipp>
#endif
