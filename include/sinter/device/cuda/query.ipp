#pragma once

#include <algorithm>  // std::min

#include <sinter/base/error.hpp>
#include <sinter/device/cuda/cublaslt.hpp>
#include <sinter/device/cuda/nvrtc_table.hpp>
#include <sinter/device/cuda/query.hpp>

namespace sinter::inline SINTER_ABI::detail {

// Whether the context is lost: after these results, every call of the process fails. 701 is not one
// of them: a launch asked for more resources than the GPU has, and did not start.
SINTER_INLINE bool cuda_context_is_lost(int result) {
  return result >= 700 && result < 720 && result != 701;
}

[[noreturn]] SINTER_INLINE void throw_cuda_error(int result, const char* call, Device device,
                                                 Where where) {
  const CudaDriver* const driver = cuda_driver();
  const char *name = nullptr, *words = nullptr;
  if (driver != nullptr && driver->error_name != nullptr) driver->error_name(result, &name);
  if (driver != nullptr && driver->error_string != nullptr) driver->error_string(result, &words);
  const std::string number = name == nullptr ? text("error ", result) : text(name, " ", result);
  throw DeviceError(
      {.op = to_string(device),
       .what = "the CUDA driver reports an error",
       .facts = {{"call", call}, {"error", number}, {"text", words == nullptr ? "" : words}},
       .fix = cuda_context_is_lost(result)
                  ? "restart the program, under compute-sanitizer to find the faulty access"
                  : "",
       .where = where});
}

SINTER_INLINE int cuda_count() {
  const CudaDriver* const driver = cuda_driver();
  int count = 0;
  return driver != nullptr && driver->device_count(&count) == 0 ? count : 0;
}

SINTER_INLINE void require_present(Device device, Where where) {
  if (device.is_cpu() || (device.index() >= 0 && device.index() < cuda_count())) return;
  throw_no_device(device, "there is no such GPU", cuda_missing(), where);
}

SINTER_INLINE std::string cuda_architecture(Device device, Where where) {
  if (device.is_cpu()) throw_no_device(device, "it is not a GPU", "", where);
  require_present(device, where);
  const CudaDriver& driver = *cuda_driver();
  int number = 0, major = 0, minor = 0;
  const bool known = driver.device(&number, device.index()) == 0 &&
                     driver.device_attribute(&major, CudaDriver::capability_major, number) == 0 &&
                     driver.device_attribute(&minor, CudaDriver::capability_minor, number) == 0;
  if (!known) throw_no_device(device, "the GPU does not answer", "", where);
  return text("sm_", major, minor);
}

SINTER_INLINE int cuda_attribute(Device device, int number) {
  require_present(device);
  const CudaDriver& driver = *cuda_driver();
  int handle = 0, result = 0;
  const bool known = driver.device(&handle, device.index()) == 0 &&
                     driver.device_attribute(&result, number, handle) == 0;
  return known ? result : 0;
}

// Both accept 32,764 bytes from CUDA 12.1 on, for all supported GPUs.
SINTER_INLINE std::size_t most_argument_bytes() {
  const CudaDriver* const driver = cuda_driver();
  const Nvrtc* const compiler = nvrtc();
  int version = 0, major = 0, minor = 0;
  const bool known = driver != nullptr && driver->version(&version) == 0 && compiler != nullptr &&
                     compiler->version(&major, &minor) == 0;
  return known && std::min(version, 1000 * major + 10 * minor) >= 12010 ? 32764 : 4096;
}

// "NVIDIA H100, sm_90, 79.1 GiB".
SINTER_INLINE std::string gpu_text(const CudaDriver& driver, int index) {
  int number = 0, major = 0, minor = 0;
  std::size_t bytes = 0;
  char name[128] = "";
  const bool answers = driver.device(&number, index) == 0 &&
                       driver.device_name(name, sizeof(name) - 1, number) == 0 &&
                       driver.device_attribute(&major, CudaDriver::capability_major, number) == 0 &&
                       driver.device_attribute(&minor, CudaDriver::capability_minor, number) == 0 &&
                       driver.device_memory(&bytes, number) == 0;
  if (!answers) return "a GPU that does not answer";
  const std::size_t tenths = bytes / ((std::size_t{1} << 30) / 10);
  return text(name, ", sm_", major, minor, ", ", tenths / 10, ".", tenths % 10, " GiB");
}

SINTER_INLINE GpuFacts cuda_facts() {
  GpuFacts result{.why_no_driver = cuda_missing(),
                  .why_no_compiler = nvrtc_missing(),
                  .why_no_products = cublaslt_missing()};
  int version = 0, major = 0, minor = 0;
  const CudaDriver* const driver = cuda_driver();
  if (driver != nullptr && driver->version(&version) == 0) {
    result.driver = text("CUDA ", version / 1000, ".", version % 1000 / 10);
  }
  const Nvrtc* const compiler = nvrtc();
  if (compiler != nullptr && compiler->version(&major, &minor) == 0) {
    result.compiler = text("NVRTC ", major, ".", minor);
  }
  for (int i = 0; i < cuda_count(); ++i) result.gpus.push_back(gpu_text(*driver, i));
  return result;
}

SINTER_INLINE std::string why_cuda_cannot_run(Device device) {
  if (device.index() < 0 || device.index() >= cuda_count()) {
    return cuda_driver() == nullptr ? cuda_missing() : text("this machine has ", counted_gpus());
  }
  if (nvrtc() == nullptr) return nvrtc_missing();
  const std::string architecture = cuda_architecture(device);
  const bool is_old = architecture.size() == 5 && architecture < "sm_80";
  return is_old ? text("it is ", architecture, ", and kernels need sm_80") : "";
}

SINTER_INLINE std::string way_to_run_cuda(Device device) {
  if (cuda_driver() == nullptr) return "use cpu(), or install a working NVIDIA driver";
  const int count = cuda_count();
  if (count > 0 && (device.index() < 0 || device.index() >= count)) {
    return text("use cuda(0)", count > 1 ? text(" to cuda(", count - 1, ")") : "", ", or cpu()");
  }
  if (nvrtc() == nullptr) return "use cpu(), or install the CUDA toolkit, or set CUDA_HOME to it";
  return "use cpu()";
}

}  // namespace sinter::inline SINTER_ABI::detail
