#pragma once
// Integers that say where an element is: positions, sizes, their sums and products. As extents they
// are indices of memory like those of loops, of which more is known than of numbers that are read.

#include <sinter/base/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/access.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Gives a variable over the axis of `gather`, a node, for what the element `index` of its result
/// is taken from.
using Taken = FunctionRef<Extent(NodeId gather, const Index& index)>;

/// Whether the elements of `value` are such integers: taken from a list of positions, perhaps.
bool is_position(const Graph& graph, Value value);

/// The element `index` of `value`, which is one of positions.
Extent position_of(const Graph& graph, Value value, const Index& index, const Taken& taken);

/// What the element `index` of the result of a gather is of its input, if it is taken from `at`.
Index taken_from(const Graph& graph, const Node& gather, const Index& index, Extent at);

/// The part of the index of a gather that is one of its indices.
Index indices_index(const Graph& graph, const Node& gather, const Index& index);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/analysis/positions.ipp>
#endif
