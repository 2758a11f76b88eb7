#pragma once
// Devices: GPUs by number, where tensors and modules are, and which GPU a thread uses.

#include <sinter/config.hpp>

// clang-format off
#include <sinter/device/host/device.hpp>
#include <sinter/device/host/scoped_device.hpp>
#include <sinter/nn/device.hpp>
#include <sinter/jit/eager/evaluator.hpp>  // computes what is read
// clang-format on
