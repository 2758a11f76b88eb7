#pragma once
// Position values: integers made of iota, constants and gathers from lists of positions, with sums
// and products. As extents they can be analyzed like loop variables, unlike loaded integers.

#include <sinter/base/container/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/access.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Returns a variable over the axis of the node `gather`: the position from which element `index`
/// of its result is gathered.
using GatherVariable = FunctionRef<Extent(NodeId gather, const Index& index)>;

/// Whether the elements of `value` are positions.
bool is_position(const Graph& graph, Value value);

/// Whether the position value `value` is made of a gather for which `holds`, or of one in a sum or
/// product for which it does.
bool any_gather(const Graph& graph, Value value, FunctionRef<bool(NodeId)> holds);

/// The element `index` of the position value `value`, as an extent.
Extent position_of(const Graph& graph, Value value, const Index& index,
                   const GatherVariable& gathered);

/// The index into the input of a gather of the element `index` of its result, gathered from `at`.
Index gathered_index(const Graph& graph, const Node& gather, const Index& index, Extent at);

/// The part of an index into the result of a gather that is an index into its indices.
Index indices_index(const Graph& graph, const Node& gather, const Index& index);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/analysis/positions.ipp>
#endif
