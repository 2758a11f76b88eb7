#pragma once
// Index maps of movement operations: from an element of the result to the element of the operand.

#include <utility>  // std::move
#include <vector>   // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/symbol/solve/simplify.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// One extent per axis of a value.
using Index = Shape;

/// An element of `node`, which is a pad or no movement operation.
struct Position {
  NodeId node = 0;
  Index index{};
};

/// An operand of a concatenation, and the index of its element; valid where the guard holds.
struct ConcatOperand {
  Value value{};
  Index index{};
  Guard guard{};
};

namespace detail {

// Axes [from_begin, from_end) of one shape with as many elements as axes [to_begin, to_end) of
// another.
struct Segment {
  int from_begin = 0, from_end = 0, to_begin = 0, to_end = 0;
};

inline Extent product(const Shape& shape, int begin, int end) {
  Extent result = 1;
  for (int axis = begin; axis < end; ++axis) result *= shape[axis];
  return result;
}

// The shortest segment that starts at the two axes. Divisions stay within a segment, so that the
// reshape of [s0, 128] to [s0, 8, 16] does not divide by s0.
inline Segment next_segment(const Shape& from, int from_begin, const Shape& to, int to_begin) {
  const int from_left = from.size() - from_begin, to_left = to.size() - to_begin;
  for (int length = 2; length <= from_left + to_left; ++length) {
    for (int from_axes = 1; from_axes < length; ++from_axes) {
      if (from_axes > from_left || length - from_axes > to_left) continue;
      const int from_end = from_begin + from_axes, to_end = to_begin + length - from_axes;
      if (same(product(from, from_begin, from_end), product(to, to_begin, to_end))) {
        return {from_begin, from_end, to_begin, to_end};
      }
    }
  }
  return {from_begin, from.size(), to_begin, to.size()};
}

// Appends to `result` the indices along the `to` axes of the element at `index` of the `from` axes.
inline void append_reshaped(Index& result, const Index& index, const Shape& from, const Shape& to,
                            const Segment& segment) {
  if (segment.from_end - segment.from_begin == 1 && segment.to_end - segment.to_begin == 1) {
    result.push_back(index[segment.from_begin]);
    return;
  }
  Extent position = 0;
  for (int axis = segment.from_begin; axis < segment.from_end; ++axis) {
    position = position * from[axis] + index[axis];
  }
  for (int axis = segment.to_begin; axis < segment.to_end; ++axis) {
    const Extent inner = product(to, axis + 1, segment.to_end);
    const bool empty = same(inner, 0) || same(to[axis], 0);  // there is no element to read
    const Extent quotient = empty ? Extent(0) : floor_div(position, inner);
    const bool leading = axis == segment.to_begin;
    result.push_back(empty || leading ? quotient : mod(quotient, to[axis]));
  }
}

inline Index permuted(const Node& node, const Index& index) {
  const auto& axes = numbers(node, "axes");
  Index result = index;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    result[static_cast<int>(axes[i])] = index[static_cast<int>(i)];
  }
  return result;
}

inline Index expanded(const Shape& from, Index index) {
  for (int axis = 0; axis < from.size(); ++axis) {
    if (same(from[axis], 1)) index[axis] = 0;
  }
  return index;
}

inline Index padded(const Node& node, Index index) {
  const Shape& low = attribute<Shape>(node, "low");
  for (int axis = 0; axis < index.size(); ++axis) index[axis] -= low[axis];
  return index;
}

inline Index sliced(const Node& node, Index index) {
  const Shape& start = attribute<Shape>(node, "start");
  const auto& step = numbers(node, "step");
  for (int axis = 0; axis < index.size(); ++axis) {
    index[axis] = start[axis] + index[axis] * Extent(step[static_cast<std::size_t>(axis)]);
  }
  return index;
}

inline Index unfolded(const Node& node, const Index& index) {
  const auto axis = static_cast<int>(number(node, "axis"));
  Index result;
  for (int i = 0; i + 1 < index.size(); ++i) result.push_back(index[i]);
  result[axis] = index[axis] * Extent(number(node, "step")) +
                 index[index.size() - 1] * Extent(number(node, "dilation"));
  return result;
}

inline Index flipped(const Node& node, const Shape& shape, Index index) {
  for (const std::int64_t at : numbers(node, "axes")) {
    const int axis = static_cast<int>(at);
    index[axis] = shape[axis] - 1 - index[axis];
  }
  return index;
}

}  // namespace detail

/// The position of `index` in row-major memory of `shape`.
inline Extent linear(const Index& index, const Shape& shape) {
  Extent result = 0, stride = 1;
  for (int axis = shape.size(); axis-- > 0;) {
    result += index[axis] * stride;
    stride *= shape[axis];
  }
  return result;
}

/// The index into `to` of the element at `index` of `from`, where both shapes have the same
/// elements in row-major order.
inline Index reshaped(const Index& index, const Shape& from, const Shape& to) {
  if (same(from, to)) return index;
  Index result;
  int from_axis = 0, to_axis = 0;
  while (to_axis < to.size()) {
    if (same(to[to_axis], 1)) {
      result.push_back(0);
      ++to_axis;
    } else if (from_axis < from.size() && same(from[from_axis], 1)) {
      ++from_axis;
    } else {
      const auto segment = detail::next_segment(from, from_axis, to, to_axis);
      detail::append_reshaped(result, index, from, to, segment);
      from_axis = segment.from_end;
      to_axis = segment.to_end;
    }
  }
  return result;
}

/// One range for each axis of `shape`, numbered from `first_id`; the number 0 for axes of extent 1.
inline Index ranges_over(const Shape& shape, std::uint32_t first_id = 0) {
  Index result;
  for (int axis = 0; axis < shape.size(); ++axis) {
    result.push_back(Extent::range(first_id + static_cast<std::uint32_t>(axis), shape[axis]));
  }
  return result;
}

/// The index of the operand element that a movement operation `node` moves to `index`.
inline Index source_index(const Graph& graph, const Node& node, const Index& index) {
  const Shape& from = graph.type(node.inputs[0]).shape;
  switch (node.op) {
    case Op::reshape:
      return reshaped(index, node.results[0].shape, from);
    case Op::permute:
      return detail::permuted(node, index);
    case Op::expand:
      return detail::expanded(from, index);
    case Op::pad:
      return detail::padded(node, index);
    case Op::slice:
      return detail::sliced(node, index);
    case Op::unfold:
      return detail::unfolded(node, index);
    case Op::flip:
      return detail::flipped(node, from, index);
    default:
      break;
  }
  throw InternalError(text("schedule: ", info(node.op).name, " is no movement operation"));
}

/// The conditions under which `index` of the pad `node` is an element of its operand; conditions
/// that always hold are left out.
inline Vector<Guard> guards_of(const Graph& graph, const Node& node, const Index& index) {
  const Shape& from = graph.type(node.inputs[0]).shape;
  const Index inner = source_index(graph, node, index);
  Vector<Guard> result;
  for (int axis = 0; axis < inner.size(); ++axis) {
    if (!proven({0, inner[axis], from[axis]})) result.push_back({inner[axis], 0, from[axis]});
  }
  return result;
}

/// The guards of both, each once.
inline Vector<Guard> united(Vector<Guard> guards, const Vector<Guard>& more) {
  for (const Guard& guard : more) {
    const bool is_known = any_of(guards, [&](const Guard& other) {
      return same(guard.value, other.value) && same(guard.low, other.low) &&
             same(guard.high, other.high);
    });
    if (!is_known) guards.push_back(guard);
  }
  return guards;
}

/// Whether `index` is known to be an element of a tensor of `shape`.
inline bool is_inside(const Index& index, const Shape& shape) {
  for (int axis = 0; axis < index.size(); ++axis) {
    if (!proven({0, index[axis], shape[axis]})) return false;
  }
  return true;
}

/// The operands that may have the element `index` of the concatenation `node`, in order, without
/// those that are known to be empty.
inline Vector<ConcatOperand> concat_operands(const Graph& graph, const Node& node,
                                             const Index& index) {
  const auto axis = static_cast<int>(number(node, "axis"));
  Extent start = 0;
  Vector<ConcatOperand> result;
  for (const Value input : node.inputs) {
    const Extent extent = graph.type(input).shape[axis];
    if (same(extent, 0)) continue;
    ConcatOperand operand{input, index, {index[axis] - start, 0, extent}};
    operand.index[axis] = operand.guard.value;
    result.push_back(std::move(operand));
    start += extent;
  }
  return result;
}

/// The source of element `index` of `value`: an element of a pad or of a node that is no movement
/// operation.
inline Position element(const Graph& graph, Value value, const Index& index) {
  Position result{value.node, index};
  while (is_movement(graph[result.node].op) && graph[result.node].op != Op::pad) {
    const Node& node = graph[result.node];
    result = {node.inputs[0].node, source_index(graph, node, result.index)};
  }
  return result;
}

/// The inverse of element(): the index of `value` whose source is element `index` of the node
/// beneath; nothing unless there are only reshapes, permutes and flips in between.
inline Optional<Index> inverse_index(const Graph& graph, Value value, const Index& index) {
  const Node& node = graph[value.node];
  if (!is_movement(node.op)) return index;
  const Optional<Index> inner = inverse_index(graph, node.inputs[0], index);
  const Shape& from = graph.type(node.inputs[0]).shape;
  if (!inner) return {};
  if (node.op == Op::reshape) return reshaped(*inner, from, node.results[0].shape);
  if (node.op == Op::flip) return detail::flipped(node, from, *inner);
  if (node.op != Op::permute) return {};
  Index result;
  for (const std::int64_t axis : numbers(node, "axes")) {
    result.push_back((*inner)[static_cast<int>(axis)]);
  }
  return result;
}

/// The node beneath all movement operations, including pads.
inline NodeId beneath(const Graph& graph, Value value) {
  NodeId id = value.node;
  while (is_movement(graph[id].op)) id = graph[id].inputs[0].node;
  return id;
}

/// The index of an operand of a product: `batch` axes come from the leading axes of `result`,
/// `contract` axes from `rows`, and the others from `result`, starting at axis `free`.
inline Index operand_index(const Shape& shape, const std::vector<std::int64_t>& batch,
                           const std::vector<std::int64_t>& contract, const Index& result,
                           const Index& rows, int& free) {
  Index index = shape;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    index[static_cast<int>(batch[i])] = result[static_cast<int>(i)];
  }
  for (std::size_t i = 0; i < contract.size(); ++i) {
    index[static_cast<int>(contract[i])] = rows[static_cast<int>(i)];
  }
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (!contains(batch, axis) && !contains(contract, axis)) index[axis] = result[free++];
  }
  return index;
}

/// `index` after the substitution `values`.
inline Index substituted(Index index, const Substitutions& values) {
  for (int i = 0; i < index.size(); ++i) index[i] = substitute(index[i], values);
  return index;
}

/// `index`, simplified under the assumption that the guards hold.
inline Index simplified(Index index, const Vector<Guard>& guards) {
  Vector<Within> facts;
  for (const Guard& guard : guards) facts.push_back({guard.low, guard.value, guard.high});
  for (int axis = 0; axis < index.size(); ++axis) index[axis] = simplify_under(index[axis], facts);
  return index;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
