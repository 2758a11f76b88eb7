#pragma once
// Devices: the host, or a GPU by index.

#include <cstdint>  // std::uint8_t
#include <string>   // std::string

#include <sinter/base/text.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

/// A device. A plain value: constructing it neither opens the device nor checks that it exists.
class Device {
 public:
  enum class Kind : std::uint8_t { cpu, cuda };

  /// The host.
  constexpr Device() = default;
  constexpr explicit Device(Kind kind, int index = 0) : kind_(kind), index_(index) {}

  constexpr Kind kind() const { return kind_; }
  /// The number of the GPU; 0 for the host.
  constexpr int index() const { return index_; }
  constexpr bool is_cpu() const { return kind_ == Kind::cpu; }
  constexpr bool is_cuda() const { return kind_ == Kind::cuda; }

  constexpr bool operator==(const Device&) const = default;

 private:
  Kind kind_ = Kind::cpu;
  int index_ = 0;
};

/// The host.
constexpr Device cpu() { return Device(); }

/// The GPU with this number, as the CUDA driver counts them. Operations run on it in programs that
/// link sinter::compiled or include <sinter/gpu.hpp>; in others, and with -DSINTER_CUDA=0, they
/// throw DeviceError: see why_not_runnable().
constexpr Device cuda(int index = 0) { return Device(Device::Kind::cuda, index); }

/// "cpu", "cuda:0".
inline std::string to_string(Device device) {
  return device.is_cpu() ? "cpu" : detail::text("cuda:", device.index());
}

/// The number of GPUs that the driver reports; 0 without a driver or code for GPUs.
int cuda_device_count();

/// Why `device` cannot run operations: it does not exist, it is too old, NVRTC is missing, or the
/// program is built without GPUs. Empty if it can.
std::string why_not_runnable(Device device);

namespace detail {

/// The fix for an error about `device`, which cannot run operations: another device, or what to
/// install.
std::string way_to_run(Device device);

}  // namespace detail

/// Throws DeviceError, with the reason, unless `device` can run operations.
void require_runnable(Device device, Where where = Where::current());

/// Waits on the host for all work of `device`.
void synchronize(Device device, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI
