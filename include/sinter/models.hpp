#pragma once
// Known architectures, whose parameters are named as torchvision and Hugging Face name them.

#include <sinter/config.hpp>

// clang-format off
#include <sinter/models/alexnet.hpp>
#include <sinter/models/bert.hpp>
#include <sinter/models/cache.hpp>
#include <sinter/models/captioner.hpp>
#include <sinter/models/generate.hpp>
#include <sinter/models/gpt2.hpp>
#include <sinter/models/llama.hpp>
#include <sinter/models/pretrained.hpp>
#include <sinter/models/resnet.hpp>
#include <sinter/models/vit.hpp>
// clang-format on
