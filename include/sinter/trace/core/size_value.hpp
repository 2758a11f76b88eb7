#pragma once
// A size as a value of the program: what sum(x) / x.size(0) divides by.

#include <sinter/config.hpp>
#include <sinter/trace/core/handle.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// `size` as a tensor of rank 0. A symbol stays one: each call computes with the size that it has.
Tensor size_value(Extent size, DType dtype, Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#include <sinter/trace/core/tensor.hpp>

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/core/size_value.ipp>
#endif
