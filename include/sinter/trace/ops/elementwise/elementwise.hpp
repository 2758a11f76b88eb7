#pragma once
// Operations that compute each element of the result from the same element of each operand: the
// primitives, and what is written in them.

#include <sinter/trace/ops/elementwise/clamp.hpp>
#include <sinter/trace/ops/elementwise/classify.hpp>
#include <sinter/trace/ops/elementwise/primitive.hpp>
#include <sinter/trace/ops/elementwise/rounding.hpp>
#include <sinter/trace/ops/elementwise/scientific.hpp>
#include <sinter/trace/ops/elementwise/term.hpp>
