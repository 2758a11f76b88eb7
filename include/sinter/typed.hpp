#pragma once
// Tensors whose dtype and dimensions are part of their type, so that mistakes do not compile.

#include <sinter/config.hpp>

// clang-format off
#include <sinter/trace/typed/elementwise.hpp>
#include <sinter/trace/typed/scientific.hpp>
#include <sinter/trace/typed/activation.hpp>
#include <sinter/trace/typed/product.hpp>
#include <sinter/trace/typed/reduce.hpp>
#include <sinter/trace/typed/movement.hpp>
#include <sinter/trace/typed/row.hpp>
#include <sinter/trace/typed/einsum.hpp>
#include <sinter/jit/eager/evaluator.hpp>  // computes what is read
// clang-format on
