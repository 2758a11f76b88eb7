#pragma once

#include <atomic>  // std::atomic

#include <sinter/base/error.hpp>
#include <sinter/device/cuda.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

struct LoadedCudaDriver {
  Library library{};
  CudaDriver table{};
  std::string reason{};
};

SINTER_INLINE bool find_functions(const Library& library, CudaDriver& table) {
  return library.find("cuInit", table.init) &&
         library.find("cuGetErrorString", table.error_string) &&
         library.find("cuDeviceGetCount", table.device_count) &&
         library.find("cuDeviceGet", table.device) &&
         library.find("cuDeviceGetAttribute", table.device_attribute) &&
         library.find("cuDevicePrimaryCtxRetain", table.retain_context) &&
         library.find("cuCtxSetCurrent", table.set_context) &&
         library.find("cuModuleLoadData", table.load_module) &&
         library.find("cuModuleUnload", table.unload_module) &&
         library.find("cuModuleGetFunction", table.function) &&
         library.find("cuMemAlloc_v2", table.allocate) &&
         library.find("cuMemFree_v2", table.free) &&
         library.find("cuMemcpyHtoD_v2", table.copy_to_device) &&
         library.find("cuMemcpyDtoH_v2", table.copy_to_host) &&
         library.find("cuLaunchKernel", table.launch) &&
         library.find("cuCtxSynchronize", table.synchronize);
}

SINTER_INLINE std::string cuda_error_text(const CudaDriver& table, int result) {
  const char* words = nullptr;
  table.error_string(result, &words);
  return words == nullptr ? text("error ", result) : words;
}

SINTER_INLINE LoadedCudaDriver load_cuda_driver() {
  LoadedCudaDriver result;
  result.library = Library({"libcuda.so.1"});
  if (!result.library) {
    result.reason = "the CUDA driver was not found: " + result.library.reason();
  } else if (!find_functions(result.library, result.table)) {
    result.reason = "the CUDA driver on this machine is too old";
  } else if (const int error = result.table.init(0); error != 0) {
    result.reason = "the CUDA driver does not start: " + cuda_error_text(result.table, error);
  }
  return result;
}

SINTER_INLINE const LoadedCudaDriver& loaded_cuda_driver() {
  static const auto& instance = *new LoadedCudaDriver(load_cuda_driver());
  return instance;
}

SINTER_INLINE std::atomic<const CudaDriver*>& cuda_driver_replacement() {
  static auto& instance = *new std::atomic<const CudaDriver*>(nullptr);
  return instance;
}

[[noreturn]] SINTER_INLINE void throw_no_device(Device device, const std::string& what,
                                                const std::string& reason, Where where) {
  throw DeviceError({.op = to_string(device),
                     .what = what,
                     .facts = {{"found", text(cuda_device_count(), " GPUs")}, {"reason", reason}},
                     .fix = "use cpu()",
                     .where = where});
}

}  // namespace detail

SINTER_INLINE const CudaDriver* cuda_driver() {
  if (const CudaDriver* const table = detail::cuda_driver_replacement().load()) return table;
  const detail::LoadedCudaDriver& loaded = detail::loaded_cuda_driver();
  return loaded.reason.empty() ? &loaded.table : nullptr;
}

SINTER_INLINE const std::string& cuda_missing() {
  static const auto& nothing = *new std::string;
  if (detail::cuda_driver_replacement().load() != nullptr) return nothing;
  return detail::loaded_cuda_driver().reason;
}

SINTER_INLINE const CudaDriver* replace_cuda_driver(const CudaDriver* table) {
  return detail::cuda_driver_replacement().exchange(table);
}

SINTER_INLINE int cuda_device_count() {
  const CudaDriver* const driver = cuda_driver();
  int count = 0;
  return driver != nullptr && driver->device_count(&count) == 0 ? count : 0;
}

SINTER_INLINE std::string cuda_architecture(Device device, Where where) {
  if (!device.is_cuda() || device.index() < 0 || device.index() >= cuda_device_count()) {
    detail::throw_no_device(device, "there is no such GPU", cuda_missing(), where);
  }
  constexpr int capability_major = 75, capability_minor = 76;  // CUdevice_attribute
  const CudaDriver& driver = *cuda_driver();
  int number = 0, major = 0, minor = 0;
  const bool known = driver.device(&number, device.index()) == 0 &&
                     driver.device_attribute(&major, capability_major, number) == 0 &&
                     driver.device_attribute(&minor, capability_minor, number) == 0;
  if (!known) detail::throw_no_device(device, "the GPU does not answer", "", where);
  return text("sm_", major, minor);
}

SINTER_INLINE void require_runnable(Device device, Where where) {
  if (device.is_cpu()) return;
  const std::string reason =
      cuda_driver() == nullptr ? cuda_missing() : "GPUs come with a later version";
  detail::throw_no_device(device, "this version does not run on GPUs yet", reason, where);
}

}  // namespace sinter::inline SINTER_ABI
