#pragma once
// The GPUs of a test: emulated, or those of this machine if SINTER_TEST_GPU=1. The same tests run
// on both.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "../skip.hpp"
#include "emulator.hpp"

namespace emulator {

/// True if tests run on the GPUs of this machine.
bool uses_real_gpus();

/// Why tests that need `count` GPUs cannot run here; "" if they can, as with emulated GPUs.
std::string missing_gpus(int count);

/// The GPUs of a test, and the work that they were given since it began. The destructor releases
/// everything, and fails the test if there are emulator reports that were not taken.
class Gpus {
 public:
  explicit Gpus(const Settings& settings = {});
  Gpus(const Gpus&) = delete;
  Gpus& operator=(const Gpus&) = delete;
  ~Gpus();

  /// Sets the driver version of emulated GPUs; no effect on real ones.
  void set_driver_version(int version);
  std::size_t launches() const;
  std::size_t graph_launches() const;
  std::size_t compilations() const;
  /// The reports of the emulator since the last call. Real GPUs have none: use compute-sanitizer.
  std::vector<std::string> reports();

 private:
  std::optional<Emulator> emulated_{};
};

}  // namespace emulator

/// Declares `name`, the GPUs of a test case. Skips the case if there are fewer than `count`.
#define SINTER_GPUS(name, count)                                                   \
  if (const std::string missing = emulator::missing_gpus(count); !missing.empty()) \
    SINTER_SKIP(missing.c_str());                                                  \
  emulator::Gpus name
