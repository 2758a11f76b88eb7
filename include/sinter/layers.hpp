#pragma once
// Layers that few programs use, beside those of nn.hpp: paddings, decoders, the whole transformer.

#include <sinter/config.hpp>

// clang-format off
#include <sinter/nn.hpp>
#include <sinter/nn/function/padding.hpp>
#include <sinter/nn/decoder.hpp>
#include <sinter/nn/transformer.hpp>
// clang-format on
