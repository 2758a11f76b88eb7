#pragma once
// An emulated CUDA machine that replaces the driver, NVRTC and cuBLASLt. Kernels are compiled by
// the host compiler; every access is checked for bounds, initialisation and races.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sinter/device/cuda/cublaslt.hpp>
#include <sinter/device/cuda/nvjitlink.hpp>
#include <sinter/device/cuda/nvrtc_table.hpp>
#include <sinter/device/cuda/query.hpp>

#include "../sanitizers.hpp"

namespace emulator {

/// Whether kernels can run. They report accesses by the functions of ThreadSanitizer.
inline constexpr bool runs_kernels = !sinter_test::is_watched_for_races;

/// When the work of a stream is executed.
enum class Order {
  late,  ///< When it is waited for, so that missing dependencies show.
  eager  ///< At the call.
};

struct Settings {
  int devices = 2;
  bool cublaslt = true;  ///< cuBLASLt is available.
  /// Look for races in all global memory of a kernel, not only in buffers that it is given
  /// twice. Slow, and also reports accesses to the fault record, which has a lock.
  bool all_races = false;
  std::size_t memory = std::size_t{1} << 30;  ///< Of each device.
  Order order = Order::late;
  int capability = 90;
};

/// Timed work: a kernel launch, or a product of cuBLASLt, whose name is "product 2" if it uses the
/// second best algorithm of the heuristic.
struct Timed {
  std::string kernel{};
  unsigned blocks = 1, threads = 1;
};
/// Its duration in nanoseconds; negative for a launch that the driver refuses.
using Times = std::function<std::int64_t(const Timed& timed)>;

/// Live objects of the driver, by kind.
struct Held {
  std::size_t contexts = 0, modules = 0, streams = 0, events = 0;
  std::size_t graphs = 0, executables = 0;  ///< Graphs; instantiated graphs.
  std::size_t host_pieces = 0;              ///< Allocations of page-locked memory.

  bool operator==(const Held&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Held& held);

/// A node of a graph, and the nodes that it runs after, by their numbers.
struct GraphNode {
  std::string kind{};  ///< "kernel", "product", "NCCL", "set", "other"
  std::vector<std::size_t> after{};
};

/// The machine of a test. Its destructor fails the test if there are reports that were not taken,
/// or live objects other than memory of tensors that outlive it.
class Emulator {
 public:
  explicit Emulator(const Settings& settings = {});
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;
  ~Emulator() {
    for (const std::string& report : reports()) FAIL_CHECK(report);
    end();
  }

  /// The reports since the last call.
  std::vector<std::string> reports();
  const std::vector<std::string>& compile_options() const;
  std::size_t compilations() const;
  std::size_t links() const;  ///< Programs that were linked with the CUDA device runtime.
  /// Sets the driver version: before 12080 conditional nodes have no `else`, before 12010 a launch
  /// has at most 4,096 bytes of arguments.
  void set_driver_version(int version);
  std::size_t launches() const;
  std::size_t graph_launches() const;
  std::size_t heuristics() const;  ///< Calls of the cuBLASLt heuristic.
  std::size_t products() const;    ///< Products that cuBLASLt ran; a batch counts as one.
  /// The nodes of the graph that was instantiated last.
  const std::vector<GraphNode>& last_graph() const;
  std::size_t used_memory(int device) const;
  Held held() const;
  /// Sets the clock of events. By default everything takes a microsecond.
  void set_times(Times times);

 private:
  void end();

  const sinter::detail::CudaDriver* driver_before_ = nullptr;
  const sinter::detail::Nvrtc* nvrtc_before_ = nullptr;
  const sinter::detail::CublasLt* cublaslt_before_ = nullptr;
  const sinter::detail::NvJitLink* nvjitlink_before_ = nullptr;
};

/// The first report of a machine (Emulator, Gpus) since the last call; "" if none.
template <class Machine>
std::string first_report(Machine& machine) {
  const std::vector<std::string> reports = machine.reports();
  return reports.empty() ? "" : reports[0];
}

}  // namespace emulator
