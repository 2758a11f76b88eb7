#pragma once
// A fake CUDA driver with a few GPUs in host memory, for tests of device/. It runs no kernels.
// Streams run as late as possible, so that missing ordering gives wrong results.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sinter/device/cuda/driver.hpp>

namespace fake_cuda {

using sinter::detail::CudaDriver;
using Handle = CudaDriver::Handle;
using Address = CudaDriver::Address;

struct Stream {
  std::vector<std::function<void()>> work{};
  std::size_t done = 0;

  void run(std::size_t until) {
    while (done < until) {
      const std::size_t next = done++;  // before, since the work may ask for it again
      work[next]();
    }
  }
};

struct Event {
  Stream* stream = nullptr;
  std::size_t position = 0;
};

struct Allocation {
  int device = 0;
  std::size_t bytes = 0;
};

/// Replaces the driver of this machine while it lives.
class Machine {
 public:
  explicit Machine(int devices = 1, std::size_t bytes = std::size_t{1} << 30);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine();

  /// How often a function of the driver was called, by its name in the table.
  int calls(const std::string& function) const;
  /// From now on `function` gives `result`; 0 ends it.
  void fail(const std::string& function, int result) { failures[function] = result; }
  /// The call after so many others, of any function, fails; only that one.
  void fail_after(int calls) { calls_until_failure = calls + 1; }
  /// Gives the table back, as the destructor does; what the library held is in `memory` no more.
  void remove();

  int devices;
  std::size_t bytes;       // of each
  std::size_t others = 0;  // what other programs hold of each
  std::map<Address, Allocation> memory{};
  std::map<void*, std::size_t> pinned{};
  std::map<std::string, int> counts{}, failures{};
  std::vector<std::unique_ptr<Stream>> streams{};
  int live_streams = 0, live_events = 0;
  bool freed_too_early = false;  // memory, while work was left
  int calls_until_failure = 0;   // that one included; 0 or less if none will fail

 private:
  CudaDriver table_{};
  const CudaDriver* before_ = nullptr;
  bool removed_ = false;
};

/// Work for a stream, as a launch of the driver: it runs late.
void launch(Handle stream, std::function<void()> work);

}  // namespace fake_cuda
