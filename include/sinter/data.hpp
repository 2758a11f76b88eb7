#pragma once
// Datasets: loading batches ahead, images from files, and what prepares them.

#include <sinter/config.hpp>

// clang-format off
#include <sinter/data/image.hpp>
#include <sinter/data/loader.hpp>
#include <sinter/data/sampler.hpp>
#include <sinter/data/transform.hpp>
#include <sinter/jit/eager/evaluator.hpp>  // computes what is read
// clang-format on
