#pragma once
// Many processes: collectives, data parallel training. Link sinter::dist, or compile with mpicxx.

#include <sinter/config.hpp>

// clang-format off
#include <sinter/dist/world.hpp>
#include <sinter/dist/collective/operations.hpp>
#include <sinter/dist/parallel/gradients.hpp>
#include <sinter/dist/parallel/shard.hpp>
#include <sinter/dist/parallel/mesh.hpp>
#include <sinter/dist/parallel/replicate.hpp>
#include <sinter/dist/parallel/sync_batch_norm.hpp>
#include <sinter/dist/parallel/tensor_parallel.hpp>
#include <sinter/dist/parallel/checkpoint.hpp>
// clang-format on
