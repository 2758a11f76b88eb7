#pragma once
// Modules of neural networks: layers, and what is done with all of their parameters.

#include <sinter/config.hpp>

// clang-format off
#include <sinter/nn/activation.hpp>
#include <sinter/nn/norm.hpp>
#include <sinter/nn/convolution.hpp>
#include <sinter/nn/device.hpp>
#include <sinter/nn/dropout.hpp>
#include <sinter/nn/dtype.hpp>
#include <sinter/nn/embedding.hpp>
#include <sinter/nn/reshape.hpp>
#include <sinter/nn/initialize.hpp>
#include <sinter/nn/linear.hpp>
#include <sinter/nn/loss.hpp>
#include <sinter/nn/mode.hpp>
#include <sinter/nn/padding.hpp>
#include <sinter/nn/pool.hpp>
#include <sinter/nn/recurrent.hpp>
#include <sinter/nn/sequential.hpp>
#include <sinter/nn/transformer/attention.hpp>
#include <sinter/nn/transformer/encoder.hpp>
#include <sinter/nn/transformer/decoder.hpp>
#include <sinter/nn/transformer/transformer.hpp>
#include <sinter/jit/eager/evaluator.hpp>  // computes what is read
// clang-format on
