#pragma once
// Tensors whose dtype and dimensions are part of their type, so that mistakes do not compile.

#include <sinter/config.hpp>

// clang-format off
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/functional/activation.hpp>
#include <sinter/trace/ops/typed/product.hpp>
#include <sinter/trace/ops/typed/reduce.hpp>
#include <sinter/trace/ops/typed/movement.hpp>
#include <sinter/trace/functional/row.hpp>
#include <sinter/trace/ops/typed/einsum.hpp>
#include <sinter/jit/eager/evaluator.hpp>  // computes what is read
// clang-format on
