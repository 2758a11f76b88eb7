#pragma once
// The class Tensor: a value that is evaluated when its elements are read.

#include <sinter/trace/core/handle.hpp>
#include <sinter/trace/core/read.hpp>
#include <sinter/trace/core/size_value.hpp>

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/core/tensor.ipp>
#endif
