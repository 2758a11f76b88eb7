#pragma once
// Dependences between kernels.

#include <cstddef>  // std::size_t

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/launch/order.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// For each kernel, by its position in a valid order: the kernels that it depends on, which are all
/// earlier in that order, and the kernels that depend on it.
struct Dependences {
  Vector<Vector<std::size_t>> before{}, after{};
};

/// A kernel depends on those that write what it reads or writes, on those that read what it writes,
/// and, where it writes one of `updates` over an input, on all that read the input or can fault.
Dependences dependences(Span<const LoweredKernel* const> kernels, Span<const NodeUpdate> updates);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/dependences.ipp>
#endif
