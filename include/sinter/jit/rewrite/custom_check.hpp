#pragma once
// SINTER_CHECK: compares the results of kernels of users with those of the reference, in each call.

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// `results` of the custom `node`, as values that throw ValueError where they are not near those of
/// its reference, `expected`. For the host.
Vector<Value> compared(Builder& builder, const Node& node, Span<const Value> results,
                       Span<const Value> expected);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/rewrite/custom_check.ipp>
#endif
