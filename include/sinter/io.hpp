#pragma once
// Files of tensors: checkpoints of modules, safetensors, npy and npz.

#include <sinter/config.hpp>

// clang-format off
#include <sinter/io/checkpoint.hpp>
#include <sinter/io/npz.hpp>
#include <sinter/jit/eager/evaluator.hpp>  // computes what is read
// clang-format on
