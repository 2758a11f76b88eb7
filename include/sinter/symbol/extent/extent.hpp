#pragma once
// The size of a dimension, or an index into it: a number, or an integer expression over sizes that
// are known when the program runs and over the ranges of loops.

#include <sinter/symbol/extent/expression.hpp>

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/extent/extent.ipp>
#endif
