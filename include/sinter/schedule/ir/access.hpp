#pragma once
// Index maps of movement operations: from an element of the result to the element of the operand.

#include <vector>  // std::vector

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// One extent per axis of a value.
using Index = Shape;

/// An element of `node`, which is a pad or no movement operation.
struct Position {
  NodeId node = 0;
  Index index{};
};

/// The position of `index` in row-major memory of `shape`.
Extent linear(const Index& index, const Shape& shape);

/// The index into `to` of the element at `index` of `from`, where both shapes have the same
/// elements in row-major order.
Index reshaped(const Index& index, const Shape& from, const Shape& to);

/// One range for each axis of `shape`, numbered from `first_id`; the number 0 for axes of extent 1.
Index ranges_over(const Shape& shape, std::uint32_t first_id = 0);

/// The index of the operand element that a movement operation `node` moves to `index`.
Index source_index(const Graph& graph, const Node& node, const Index& index);

/// The conditions under which `index` of the pad `node` is an element of its operand; conditions
/// that always hold are left out.
Vector<Guard> guards_of(const Graph& graph, const Node& node, const Index& index);
/// The guards of both, each once.
Vector<Guard> united(Vector<Guard> guards, const Vector<Guard>& more);
/// Whether `index` is known to be an element of a tensor of `shape`.
bool is_inside(const Index& index, const Shape& shape);

/// An operand of a concatenation, and the index of its element; valid where the guard holds.
struct ConcatOperand {
  Value value{};
  Index index{};
  Guard guard{};
};

/// The operands that may have the element `index` of the concatenation `node`, in order, without
/// those that are known to be empty.
Vector<ConcatOperand> concat_operands(const Graph& graph, const Node& node, const Index& index);

/// The source of element `index` of `value`: an element of a pad or of a node that is no movement
/// operation.
Position element(const Graph& graph, Value value, const Index& index);

/// The inverse of element(): the index of `value` whose source is element `index` of the node
/// beneath; nothing unless there are only reshapes, permutes and flips in between.
Optional<Index> inverse_index(const Graph& graph, Value value, const Index& index);

/// The index of an operand of a product: `batch` axes come from the leading axes of `result`,
/// `contract` axes from `rows`, and the others from `result`, starting at axis `free`.
Index operand_index(const Shape& shape, const std::vector<std::int64_t>& batch,
                    const std::vector<std::int64_t>& contract, const Index& result,
                    const Index& rows, int& free);

/// `index` after the substitution `values`.
Index substituted(Index index, const Substitutions& values);

/// `index`, simplified under the assumption that the guards hold.
Index simplified(Index index, const Vector<Guard>& guards);

/// The node beneath all movement operations, including pads.
NodeId beneath(const Graph& graph, Value value);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/ir/access.ipp>
#endif
