#pragma once
// The World of the tests with tensors on an emulated GPU: one for each rank.

#include <sinter/device/host/scoped_device.hpp>

#include "cuda_emulator/emulator.hpp"
#include "cuda_emulator/nccl.hpp"
#include "world.hpp"

namespace ranks {

/// The emulated GPU of this rank during a test case. The case belongs to a suite "host: ...": runs
/// that move all tensors to a GPU skip it.
class OnGpu {
 public:
  OnGpu() : machine_{}, scope_{(world(), sinter::cuda())} {}

  emulator::Emulator& machine() { return machine_; }

 private:
  emulator::Emulator machine_;
  sinter::ScopedDevice scope_;
};

}  // namespace ranks
