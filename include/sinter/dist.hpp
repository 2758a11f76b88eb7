#pragma once
// Many processes: collectives, data parallel training. Link sinter::dist, or compile with mpicxx.

#include <sinter/config.hpp>

// clang-format off
#include <sinter/dist/world.hpp>
#include <sinter/dist/collective/operations.hpp>
#include <sinter/dist/parallel/gradients.hpp>
// clang-format on
