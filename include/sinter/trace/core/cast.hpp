#pragma once
// Casts from one dtype to another.

#include <sinter/base/dtype.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/handle.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// The elements of `x` as `dtype`, which users write as x.to(dtype).
///
/// DTypes   any; floating to integer saturates and NaN becomes 0, integers wrap
/// Gradient cast(g, x.dtype), if both are floating
Tensor cast(Operand x, DType dtype);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#include <sinter/trace/core/tensor.hpp>

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/core/cast.ipp>
#endif
