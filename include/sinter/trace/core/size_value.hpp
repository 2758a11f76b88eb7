#pragma once
// A size as a tensor: the divisor in sum(x) / x.size(0).

#include <sinter/config.hpp>
#include <sinter/trace/core/handle.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// `size` as a tensor of rank 0. A symbolic size stays symbolic: each call uses its own size.
Tensor size_value(Extent size, DType dtype, Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#include <sinter/trace/core/tensor.hpp>

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/core/size_value.ipp>
#endif
