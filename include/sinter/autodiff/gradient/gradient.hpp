#pragma once
// The reverse sweep: appends the gradients of a value to its graph.

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

/// The gradient of sum(output * seed) with respect to each of `with_respect_to`, of its type, as
/// values of `graph`, to which what computes them is appended. `seed` is of the type of `output`;
/// without one it is ones. The values may be inputs or results of any node; where nothing flows to
/// one, its gradient is a constant 0. Nothing flows through values that are not floating.
///
/// Appends nodes only for what lies between the values and `output`, each with the line and module
/// path of the node that it differentiates, all of operations with rules of their own: gradients
/// can be differentiated again.
///
/// Throws InternalError if `seed` is not of the type of `output`.
Vector<Value> gradient(Graph& graph, Value output, Span<const Value> with_respect_to,
                       Optional<Value> seed = {});

/// The same for the sum over several outputs, each with a seed of its type.
Vector<Value> gradient(Graph& graph, Span<const Value> outputs, Span<const Value> seeds,
                       Span<const Value> with_respect_to);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/gradient/gradient.ipp>
#endif
