#pragma once
// The interface through which the library uses GPUs; without an implementation there are none.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::move
#include <vector>       // std::vector

#include <sinter/base/error.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/device.hpp>

namespace sinter::inline SINTER_ABI {

struct MemoryStats;

namespace detail {

class Storage;
struct StorageBlock;

/// What this machine has for GPUs, as text; each reason is empty if the part is there.
struct GpuFacts {
  std::string driver{}, why_no_driver{};      ///< "CUDA 12.4"
  std::string compiler{}, why_no_compiler{};  ///< "NVRTC 12.4"
  std::string why_no_products{};              ///< cuBLASLt.
  std::vector<std::string> gpus{};            ///< "NVIDIA H100, sm_90, 79.1 GiB", by index.
};

/// The GPUs of this machine and their memory: what the stages that run on the host and on GPUs call
/// for a device that is a GPU. device/cuda/backend/backend.hpp implements it. Functions with a
/// `where` throw DeviceError, with the reason, if there is no such GPU.
class GpuBackend {
 public:
  virtual ~GpuBackend() = default;

  /// See cuda_device_count(), why_not_runnable(), way_to_run() and synchronize().
  virtual int count() const = 0;
  virtual std::string why_not_runnable(Device device) const = 0;
  virtual std::string way_to_run(Device device) const = 0;
  virtual void synchronize(Device device, Where where) const = 0;
  /// "sm_90" for a GPU of compute capability 9.0.
  virtual std::string architecture(Device device, Where where) const = 0;
  /// The limit on the argument bytes of a kernel.
  virtual std::size_t most_argument_bytes() const = 0;

  /// See Storage::allocate(); throws GpuOutOfMemory if memory runs out.
  virtual Storage allocate(std::size_t bytes, Device device, Where where,
                           std::string_view purpose) const = 0;
  /// Borrows memory of another library: see borrow_on().
  virtual Storage borrow(Device device, const void* memory, std::size_t bytes,
                         void (*release)(void*), void* owner, Where where) const = 0;
  /// The live storage of `device` that starts at `address`; empty for host memory.
  virtual Storage memory_at(Device device, const void* address) const = 0;
  /// Takes back a block without references.
  virtual void recycle(StorageBlock* block) const noexcept = 0;
  /// Copies all bytes of `from` to `to`, in order with GPU work on both. One is on a GPU.
  virtual void copy(const Storage& to, const Storage& from, Where where) const = 0;
  /// A host copy of `memory` that is cached with it until the bytes change.
  virtual const void* host_bytes(const Storage& memory, Where where) const = 0;
  /// Waits on the host for all submitted work that uses `memory`.
  virtual void await_work_with(const Storage& memory, Where where) const = 0;

  /// For doctor(). Loads the libraries.
  virtual GpuFacts facts() const = 0;

  /// See memory_stats(), reset_memory_stats() and release_idle_memory().
  virtual MemoryStats stats(Device device, Where where) const = 0;
  virtual void reset_stats(Device device, Where where) const = 0;
  virtual std::int64_t release_idle(Device device, Where where) const = 0;
};

/// The backend of this process; null in a program that is built without code for GPUs. Set once, by
/// jit/cuda/backend.hpp, before main() starts.
const GpuBackend*& gpu_backend();

/// The backend, for work on `device`. DeviceError if the program is built without one.
const GpuBackend& gpus_for(Device device, Where where);

/// Thrown by Storage::allocate for a GPU; callers can catch it and add facts to the report.
struct GpuOutOfMemory : ValueError {
  explicit GpuOutOfMemory(Report why) : ValueError(why), report(std::move(why)) {}
  Report report;
};

/// Throws DeviceError about `device`, on which `what` is the matter; without a `reason` it names
/// the number of GPUs.
[[noreturn]] void throw_no_device(Device device, const std::string& what, const std::string& reason,
                                  Where where);

/// "2 GPUs".
std::string counted_gpus();

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/device/host/gpu.ipp>
#endif
