#pragma once
// Chooses the intermediates that a forward program saves for the backward program.

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

/// The outputs of `graph` through which a gradient can flow to the inputs that are wanted.
Vector<bool> varying_outputs(const Graph& graph, const Vector<bool>& wanted);

/// The intermediate values of `graph` that the backward program needs besides its inputs and
/// outputs to compute the wanted gradients: the set with the fewest bytes. Elementwise operations,
/// movement and random bits are rematerialised where that makes the set smaller; reductions,
/// products and indexed values are not.
///
/// Source  Chen and others, Training Deep Nets with Sublinear Memory Cost; the minimum cut of
///         torch's functorch.compile.min_cut_rematerialization_partition
Vector<Value> saved_values(const Graph& graph, const Vector<bool>& wanted);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/gradient/partition.ipp>
#endif
