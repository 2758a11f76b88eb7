#pragma once
// Where memory lives and kernels run: the host, or a GPU by number.

#include <cstdint>  // std::uint8_t
#include <string>   // std::string

#include <sinter/base/text.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

/// A place for tensors. A value: naming a device neither opens it nor checks that it is there.
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

/// The GPU with this number, as the CUDA driver counts them.
constexpr Device cuda(int index = 0) { return Device(Device::Kind::cuda, index); }

/// "cpu", "cuda:0".
inline std::string to_string(Device device) {
  return device.is_cpu() ? "cpu" : detail::text("cuda:", device.index());
}

/// The number of GPUs that the driver offers; 0 without a driver.
int cuda_device_count();

/// Why `device` cannot run operations: it is not there, it is older than kernels need, or nothing
/// can compile them. Empty if it can.
std::string why_not_runnable(Device device);

namespace detail {

/// What to do for a program that asks for `device`, which cannot run operations: another GPU, or
/// what is to be installed.
std::string way_to_run(Device device);

}  // namespace detail

/// Throws DeviceError, with the reason, unless `device` can run operations.
void require_runnable(Device device, Where where = Where::current());

/// Waits on the host until all work for `device` is done.
void synchronize(Device device, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI
