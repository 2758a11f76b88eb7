#pragma once
// Dependences between kernels.

#include <cstddef>  // std::size_t

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Node `output` may use the memory of node `input`.
struct NodeUpdate {
  NodeId input = 0, output = 0;
};

/// For each kernel, by its position in a valid order: the kernels that it depends on, which are all
/// earlier in that order, and the kernels that depend on it.
struct Dependences {
  Vector<Vector<std::size_t>> before{}, after{};
};

/// A kernel depends on those that write what it reads or writes, on those that read what it writes,
/// and, where it writes one of `updates` over an input, on all that read the input or can fault.
/// `order` has the positions of `kernels` in a valid order; empty if they are in one.
Dependences dependences(Span<const LoweredKernel> kernels, Span<const std::size_t> order = {},
                        Span<const NodeUpdate> updates = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/lower/dependences.ipp>
#endif
