#pragma once
// An emulated CUDA machine in the place of the driver, of NVRTC and of cuBLASLt. Kernels are
// compiled by the host compiler; every access, barrier and order of theirs is checked.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sinter/device/cuda/cublaslt.hpp>
#include <sinter/device/cuda/query.hpp>
#include <sinter/device/cuda/nvjitlink.hpp>
#include <sinter/device/cuda/nvrtc.hpp>

namespace emulator {

/// When the work of a stream is done.
enum class Order {
  late,  ///< When somebody waits for it: what lacks an order shows.
  eager  ///< At once.
};

struct Settings {
  int devices = 2;
  bool cublaslt = true;  ///< Whether it can be used.
  /// Whether races are looked for in all that a kernel is given, and not only in what it is given
  /// twice: takes time, and finds those of faults, whose report has a lock.
  bool all_races = false;
  std::size_t memory = std::size_t{1} << 30;  ///< Of each device.
  Order order = Order::late;
  int capability = 90;
};

/// What runs on a GPU, as a clock sees it: a launch, or a product of cuBLASLt, which is called
/// "product 2" if its algorithm is the second best that was offered.
struct Timed {
  std::string kernel{};
  unsigned blocks = 1, threads = 1;
};
/// How many nanoseconds it takes; less than 0 for a launch that the driver refuses.
using Times = std::function<std::int64_t(const Timed& timed)>;

/// How many of each the driver gave that were not given back.
struct Held {
  std::size_t contexts = 0, modules = 0, streams = 0, events = 0;
  std::size_t graphs = 0, executables = 0;  ///< A graph, and what is made of it for launches.
  std::size_t host_pieces = 0;              ///< Of page-locked memory.

  bool operator==(const Held&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Held& held);

/// The machine of a test. At its end everything is gone, and reports that were not taken fail, as
/// does what was not given back but for memory of tensors that live on.
class Emulator {
 public:
  explicit Emulator(const Settings& settings = {});
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;
  ~Emulator() {
    for (const std::string& report : reports()) FAIL_CHECK(report);
    end();
  }

  /// What the emulator has found since this was last called.
  std::vector<std::string> reports();
  const std::vector<std::string>& compile_options() const;
  std::size_t compilations() const;
  std::size_t links() const;  ///< How many programs were linked with functions of CUDA.
  /// That of another driver: before 12080 a branch of a graph has no `else`, before 12010 a launch
  /// has 4,096 bytes of arguments at most.
  void set_driver_version(int version);
  std::size_t launches() const;
  std::size_t graph_launches() const;
  std::size_t heuristics() const;  ///< How often cuBLASLt was asked for an algorithm.
  std::size_t products() const;    ///< How many products of its have run, batches as one.
  std::size_t used_memory(int device) const;
  Held held() const;
  /// What events tell from now on. Else all takes a microsecond.
  void set_times(Times times);

 private:
  void end();

  const sinter::detail::CudaDriver* driver_before_ = nullptr;
  const sinter::detail::Nvrtc* nvrtc_before_ = nullptr;
  const sinter::detail::CublasLt* cublaslt_before_ = nullptr;
  const sinter::detail::NvJitLink* nvjitlink_before_ = nullptr;
};

/// The first of what the machine of a test (Emulator, Gpus) has found since it was last asked.
template <class Machine>
std::string first_report(Machine& machine) {
  const std::vector<std::string> reports = machine.reports();
  return reports.empty() ? "" : reports[0];
}

}  // namespace emulator
