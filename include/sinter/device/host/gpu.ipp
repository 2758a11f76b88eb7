#pragma once

#include <sinter/base/text.hpp>
#include <sinter/device/host/gpu.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

inline constexpr std::string_view built_without_gpus =
    "this program is built without code for GPUs";

SINTER_INLINE const GpuBackend*& gpu_backend() {
  static const GpuBackend* backend = nullptr;
  return backend;
}

SINTER_INLINE std::string counted_gpus() {
  const int count = cuda_device_count();
  return text(count, count == 1 ? " GPU" : " GPUs");
}

[[noreturn]] SINTER_INLINE void throw_no_device(Device device, const std::string& what,
                                                const std::string& reason, Where where) {
  // The reason names what was found.
  throw DeviceError({.op = to_string(device),
                     .what = what,
                     .facts = {{"found", reason.empty() ? counted_gpus() : ""}, {"reason", reason}},
                     .fix = way_to_run(device),
                     .where = where,
                     .see = "devices"});
}

SINTER_INLINE const GpuBackend& gpus_for(Device device, Where where) {
  const GpuBackend* const backend = gpu_backend();
  if (backend != nullptr) return *backend;
  throw_no_device(device, "there is no such GPU", std::string(built_without_gpus), where);
}

SINTER_INLINE std::string way_to_run(Device device) {
  const GpuBackend* const backend = gpu_backend();
  if (backend != nullptr) return backend->way_to_run(device);
  return "use cpu(), or include <sinter/gpu.hpp> in one file of a header-only program, or build "
         "all of it without -DSINTER_CUDA=0 (in CMake, with SINTER_CUDA=ON)";
}

}  // namespace detail

SINTER_INLINE int cuda_device_count() {
  const detail::GpuBackend* const backend = detail::gpu_backend();
  return backend == nullptr ? 0 : backend->count();
}

SINTER_INLINE std::string why_not_runnable(Device device) {
  if (device.is_cpu()) return "";
  const detail::GpuBackend* const backend = detail::gpu_backend();
  return backend == nullptr ? std::string(detail::built_without_gpus)
                            : backend->why_not_runnable(device);
}

SINTER_INLINE void require_runnable(Device device, Where where) {
  if (device.is_cpu()) return;
  const std::string reason = why_not_runnable(device);
  if (reason.empty()) return;
  detail::throw_no_device(device, "this machine cannot run operations on it", reason, where);
}

SINTER_INLINE void synchronize(Device device, Where where) {
  if (device.is_cpu()) return;  // host work is synchronous
  detail::gpus_for(device, where).synchronize(device, where);
}

}  // namespace sinter::inline SINTER_ABI
