#pragma once
// The GPUs of a test: emulated ones, or those of this machine where SINTER_TEST_GPU=1 asks for
// them. The same text tests both.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "../skip.hpp"
#include "emulator.hpp"

namespace emulator {

/// True where tests are to run on the GPUs of this machine.
bool uses_real_gpus();

/// Why tests that need `count` GPUs cannot run here; empty if they can, as always when emulated.
std::string missing_gpus(int count);

/// The GPUs of a test, and what was given to them since it began. At its end everything of theirs
/// is given back, and reports of the emulator that were not taken fail.
class Gpus {
 public:
  explicit Gpus(const Settings& settings = {});
  Gpus(const Gpus&) = delete;
  Gpus& operator=(const Gpus&) = delete;
  ~Gpus();

  /// The driver of emulated GPUs is of this version from now on. Real ones stay as they are.
  void set_driver_version(int version);
  std::size_t launches() const;
  std::size_t graph_launches() const;
  std::size_t compilations() const;
  /// What the emulator has found since this was last called. For real GPUs: compute-sanitizer.
  std::vector<std::string> reports();

 private:
  std::optional<Emulator> emulated_{};
};

}  // namespace emulator

/// Declares `name`, the GPUs of a test case: at least `count`, or else the case is skipped.
#define SINTER_GPUS(name, count)                                                   \
  if (const std::string missing = emulator::missing_gpus(count); !missing.empty()) \
    SINTER_SKIP(missing.c_str());                                                  \
  emulator::Gpus name
