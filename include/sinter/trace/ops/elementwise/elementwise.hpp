#pragma once
// All elementwise operations: each element of the result depends on the same element of each
// operand.

#include <sinter/trace/ops/elementwise/clamp.hpp>
#include <sinter/trace/ops/elementwise/classify.hpp>
#include <sinter/trace/ops/elementwise/primitive.hpp>
#include <sinter/trace/ops/elementwise/rounding.hpp>
#include <sinter/trace/ops/elementwise/scientific.hpp>
#include <sinter/trace/ops/elementwise/term.hpp>
