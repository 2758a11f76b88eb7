#pragma once
// Indices pushed through movement operations: which element of the input an element of the result
// is.

#include <optional>  // std::optional
#include <vector>    // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// One extent per axis of a value.
using Index = Shape;

/// An element of `node`, which is no movement operation but perhaps a pad.
struct Position {
  NodeId node = 0;
  Index index{};
};

/// The position of `index` in row-major memory of `shape`.
Extent linear(const Index& index, const Shape& shape);

/// The index into `to` of the element that has `index` in `from`: as many elements in the same
/// order.
Index reshaped(const Index& index, const Shape& from, const Shape& to);

/// The ranges 0, 1, ... over `shape`; the number 0 along axes of extent 1.
Index ranges_over(const Shape& shape, std::uint32_t first_id = 0);

/// The index into the input of `node`, a movement operation, of the element `index` of its result.
Index pushed(const Graph& graph, const Node& node, const Index& index);

/// Where the input of `node`, a pad, is inside of it; without guards that always hold.
std::vector<Guard> guards_of(const Graph& graph, const Node& node, const Index& index);

/// A part of a concatenation: what has its element, where the guard holds.
struct Part {
  Value value{};
  Index index{};
  Guard guard{};
};

/// The parts that the element `index` of `node`, a concatenate, may be in: those that are not
/// known to be empty, in their order.
std::vector<Part> parts_of(const Graph& graph, const Node& node, const Index& index);

/// The element of a node that is no movement operation, or of a pad, that `index` of `value` is.
Position element(const Graph& graph, Value value, const Index& index);

/// The index of `value` of which `index` of the node beneath is the element; nothing unless only
/// reshapes, permutes and flips lie between.
std::optional<Index> risen(const Graph& graph, Value value, const Index& index);

/// The index of one operand of a product: axes listed in `batch` and `contract` in their order, the
/// others from `free` on in the index of the result.
Index operand_index(const Shape& shape, const std::vector<std::int64_t>& batch,
                    const std::vector<std::int64_t>& contract, const Index& result,
                    const Index& rows, int& free);

/// `index` where the guards hold, in fewer divisions.
Index simplified(Index index, const std::vector<Guard>& guards);

/// The node beneath the movement operations, pads among them.
NodeId beneath(const Graph& graph, Value value);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/ir/access.ipp>
#endif
