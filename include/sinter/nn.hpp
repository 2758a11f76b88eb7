#pragma once
// Modules of neural networks: layers, and what is done with all of their parameters.

#include <sinter/config.hpp>

// clang-format off
#include <sinter/nn/function/activation.hpp>
#include <sinter/nn/norm.hpp>
#include <sinter/nn/convolution.hpp>
#include <sinter/nn/device.hpp>
#include <sinter/nn/function/dropout.hpp>
#include <sinter/nn/dtype.hpp>
#include <sinter/nn/embedding.hpp>
#include <sinter/nn/function/reshape.hpp>
#include <sinter/nn/initialize.hpp>
#include <sinter/nn/linear.hpp>
#include <sinter/nn/function/loss.hpp>
#include <sinter/nn/mode.hpp>
#include <sinter/nn/function/pool.hpp>
#include <sinter/nn/recurrent.hpp>
#include <sinter/nn/sequential.hpp>
#include <sinter/nn/attention.hpp>
#include <sinter/nn/encoder.hpp>
#include <sinter/jit/eager/evaluator.hpp>  // computes what is read
// clang-format on
