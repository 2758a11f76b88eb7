#pragma once
// Devices: GPUs by number, where tensors and modules are, and which GPU a thread uses. Brings the
// code for GPUs into a header-only program, unless that is built with -DSINTER_CUDA=0.

#include <sinter/config.hpp>

// clang-format off
#if !defined(SINTER_CUDA) || SINTER_CUDA
#include <sinter/jit/cuda/backend.hpp>
#endif
#include <sinter/device/host/device.hpp>
#include <sinter/device/host/scoped_device.hpp>
#include <sinter/nn/device.hpp>
#include <sinter/jit/eager/evaluator.hpp>  // computes what is read
// clang-format on
