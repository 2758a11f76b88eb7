#pragma once
// The World of the tests with tensors on a GPU, emulated or real: one for each rank.

#include <sinter/device/host/scoped_device.hpp>

#include "cuda_emulator/gpus.hpp"
#include "cuda_emulator/nccl.hpp"
#include "world.hpp"

namespace ranks {

/// The GPU of this rank during a test case.
class OnGpu {
 public:
  OnGpu() : gpus_{}, scope_{(world(), sinter::cuda())} {}

  emulator::Gpus& gpus() { return gpus_; }

 private:
  emulator::Gpus gpus_;
  sinter::ScopedDevice scope_;
};

/// The suite of cases that bring a GPU with them: those of a host test whose tensors are moved to a
/// GPU leave them out.
inline constexpr const char* own_gpu = "host: it has a GPU of its own";

}  // namespace ranks
