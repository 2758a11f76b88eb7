#pragma once

#include <iterator>  // std::ssize
#include <utility>   // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/pass/contract_sums.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

namespace detail {

/// An axis of a product, or a part of one that a reshape divides.
struct AxisPart {
  AxisList path{};  ///< The axis, then which part of it, of that ...: in the order of memory.
  Extent extent = 1;
  bool is_summed = false;
};

using AxisParts = Vector<AxisPart>;

/// The parts that make up each axis of a value, without those of extent 1.
using MovedAxes = Vector<AxisParts>;

// The limit on the size of expressions that are analyzed.
inline constexpr int most_nodes_of_factor = 256;

inline bool is_one(Extent extent) { return same(extent, 1); }

// The number of leading extents whose product is `elements`; 0 if unknown.
template <class ExtentAt>
int run_of(int count, const ExtentAt& extent_at, Extent elements) {
  Extent all = 1;
  for (int i = 0; i < count; ++i) {
    all *= extent_at(i);
    if (same(all, elements)) return i + 1;
  }
  return 0;
}

// `axes` as those of `shape`: one divided into several, several that become one.
SINTER_INLINE Optional<MovedAxes> reshaped(const MovedAxes& axes, const Shape& shape) {
  AxisParts from;
  for (const AxisParts& parts : axes) {
    for (const AxisPart& part : parts) {
      if (!is_one(part.extent)) from.push_back(part);
    }
  }
  MovedAxes result(static_cast<std::size_t>(shape.size()));
  auto next = from.begin();
  for (int to = 0; to < shape.size();) {
    if (is_one(shape[to])) {
      ++to;
      continue;
    }
    if (next == from.end()) return {};
    const int divided = run_of(
        shape.size() - to, [&](int i) { return shape[to + i]; }, next->extent);
    const int merged = run_of(
        static_cast<int>(from.end() - next), [&](int i) { return next[i].extent; }, shape[to]);
    if (divided == 0 && merged == 0) return {};
    for (int i = 0; i < divided; ++i) {
      AxisPart part = *next;
      if (divided > 1) part.path.push_back(i);
      part.extent = shape[to + i];
      result[static_cast<std::size_t>(to + i)] = {std::move(part)};
    }
    if (divided == 0) result[static_cast<std::size_t>(to)].assign(next, next + merged);
    to += divided == 0 ? 1 : divided;
    next += divided == 0 ? merged : 1;
  }
  if (next != from.end()) return {};
  return result;
}

// The product behind `x`, looking through movements, and the axes of `x`; none if there is no
// product.
SINTER_INLINE Optional<MovedAxes> axes_of_product(const Graph& graph, Value x, NodeId& found) {
  const Node& node = graph[x.node];
  MovedAxes result;
  if (node.op == Op::dot_general) {
    found = x.node;
    for (std::int64_t axis = 0; axis < node.results[0].shape.size(); ++axis) {
      result.push_back({{{axis}, node.results[0].shape[static_cast<int>(axis)]}});
    }
    return result;
  }
  if (node.op != Op::permute && node.op != Op::reshape) return {};
  const auto inner = axes_of_product(graph, node.inputs[0], found);
  if (!inner || node.op == Op::reshape) {
    return inner ? reshaped(*inner, node.results[0].shape) : std::nullopt;
  }
  for (const std::int64_t axis : numbers(node, "axes")) {
    result.push_back((*inner)[static_cast<std::size_t>(axis)]);
  }
  return result;
}

/// A factor of a product whose axes are divided.
struct DividedFactor {
  Value value{};
  AxisList batch{}, contract{};
};

inline std::int64_t position_of(const AxisList& axes, std::int64_t axis) {
  return find(axes, axis) - axes.begin();
}

// The factor `x` with batch axes `batch` and contracted axes `contract`, reshaped to the parts of
// the axes of the product; `free` is its first free axis there.
SINTER_INLINE Optional<DividedFactor> divided(Builder& builder, Value x, const AxisList& batch,
                                              const AxisList& contract, std::int64_t free,
                                              const AxisParts& parts) {
  const Shape from = builder.shape(x);
  std::vector<Extent> shape;
  AxisList of_part(parts.size(), -1), of_contract(contract.size());
  for (std::int64_t axis = 0; axis < from.size(); ++axis) {
    const auto in_contract = static_cast<std::size_t>(position_of(contract, axis));
    if (in_contract < contract.size()) {
      of_contract[in_contract] = static_cast<std::int64_t>(shape.size());
      shape.push_back(from[static_cast<int>(axis)]);
      continue;
    }
    std::int64_t of_product = position_of(batch, axis);
    if (of_product == static_cast<std::int64_t>(batch.size())) of_product = free++;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].path[0] != of_product) continue;
      of_part[i] = static_cast<std::int64_t>(shape.size());
      shape.push_back(parts[i].extent);
    }
  }
  if (shape.size() > std::size_t{max_rank}) return {};
  DividedFactor result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].path[0] >= static_cast<std::int64_t>(batch.size())) continue;
    (parts[i].is_summed ? result.contract : result.batch).push_back(of_part[i]);
  }
  result.contract.insert(result.contract.end(), of_contract.begin(), of_contract.end());
  result.value = builder.reshape(x, Shape(shape));
  return result;
}

// All parts of the axes of `product`, in order: those of `moved`, and axes of one element.
SINTER_INLINE AxisParts parts_of(const MovedAxes& moved, const Shape& product) {
  AxisParts result;
  for (const AxisParts& parts : moved) result.insert(result.end(), parts.begin(), parts.end());
  for (std::int64_t axis = 0; axis < product.size(); ++axis) {
    const bool known = any_of(result, [&](const AxisPart& part) { return part.path[0] == axis; });
    if (!known) result.push_back({{axis}});
  }
  stable_sort(result, [](const AxisPart& a, const AxisPart& b) { return a.path < b.path; });
  return result;
}

// The axes of a product of `parts` without those that are summed, in the order in which `moved` has
// them.
SINTER_INLINE AxisList order_of(const MovedAxes& moved, const AxisParts& parts) {
  Vector<AxisList> given, wanted;
  for (const AxisPart& part : parts) {
    if (!part.is_summed) given.push_back(part.path);
  }
  for (const AxisParts& axis : moved) {
    for (const AxisPart& part : axis) {
      if (!part.is_summed) wanted.push_back(part.path);
    }
  }
  for (const AxisList& path : given) {  // what has one element may lie anywhere
    if (!contains(wanted, path)) wanted.push_back(path);
  }
  AxisList result;
  for (const AxisList& path : wanted) {
    result.push_back(find(given, path) - given.begin());
  }
  return result;
}

// Marks the parts of `axes`; false if one of them is not part of the batch.
SINTER_INLINE bool mark_summed(MovedAxes& moved, const AxisList& axes, std::int64_t batch) {
  for (const std::int64_t axis : axes) {
    for (AxisPart& part : moved[static_cast<std::size_t>(axis)]) {
      if (part.path[0] >= batch) return false;
      part.is_summed = true;
    }
  }
  return true;
}

// The axis of the operand of `node`, a movement, that `axis` of its result is; -1 if it is none.
SINTER_INLINE int moved_axis(const Graph& graph, const Node& node, int axis) {
  const Shape &from = graph.type(node.inputs[0]).shape, &to = node.results[0].shape;
  if (node.op == Op::permute) {
    return static_cast<int>(numbers(node, "axes")[static_cast<std::size_t>(axis)]);
  }
  if (node.op != Op::reshape) return from.size() == to.size() ? axis : -1;
  Extent before = 1, all = 1;
  for (int i = 0; i < axis; ++i) before *= to[i];
  for (int i = 0; i < from.size(); ++i) {
    if (same(all, before) && same(from[i], to[axis])) return i;
    all *= from[i];
  }
  return -1;
}

// True if `value` is elementwise in a reduction along `axis`, as a softmax is.
SINTER_INLINE bool is_reduced_along(const Graph& graph, Value value, int axis, int& left) {
  const Node& node = graph[value.node];
  if (--left < 0) return false;
  if (is_movement(node.op)) {
    const int from = moved_axis(graph, node, axis);
    if (from < 0) return false;
    const Value x = node.inputs[0];
    const bool repeats = is_one(graph.type(x).shape[from]) && !is_one(node.results[0].shape[axis]);
    if (!repeats) return is_reduced_along(graph, x, from, left);
    NodeId id = x.node;
    while (graph[id].inputs.size() == 1 && !is_reduction(graph[id].op)) {
      id = graph[id].inputs[0].node;
    }
    return is_reduction(graph[id].op);
  }
  return is_elementwise(node.op) && any_of(node.inputs, [&](Value input) {
           const bool scalar = graph.type(input).shape.empty();
           return !scalar && is_reduced_along(graph, input, axis, left);
         });
}

// True if a factor of `product` is a row that must be complete before the product, such as
// attention weights, which exist for one row at a time. Then a sum of products materializes nothing
// anyway.
SINTER_INLINE bool has_reduced_factor(const Graph& graph, const Node& product) {
  int left = most_nodes_of_factor;
  const auto any = [&](Value factor, const AxisList& axes) {
    return any_of(axes, [&](std::int64_t axis) {
      return is_reduced_along(graph, factor, static_cast<int>(axis), left);
    });
  };
  return any(product.inputs[0], numbers(product, "lhs_contract")) ||
         any(product.inputs[1], numbers(product, "rhs_contract"));
}

SINTER_INLINE Vector<Value> contract_sum(Builder& builder, const Node& sum) {
  NodeId id = 0;
  auto moved = axes_of_product(builder.graph(), sum.inputs[0], id);
  if (!moved) return {};
  const Node product = builder.graph()[id];  // a copy, since nodes are appended
  const AxisList &left = numbers(product, "lhs_batch"), &right = numbers(product, "rhs_batch");
  const AxisList &by = numbers(product, "lhs_contract"), &with = numbers(product, "rhs_contract");
  const auto batch = static_cast<std::int64_t>(left.size());
  const auto rows = builder.shape(product.inputs[0]).size() - batch - std::ssize(by);
  const auto columns = builder.shape(product.inputs[1]).size() - batch - std::ssize(with);
  if (rows == 0 || columns == 0 || !mark_summed(*moved, numbers(sum, "axes"), batch)) return {};
  if (has_reduced_factor(builder.graph(), product)) return {};
  const AxisParts parts = parts_of(*moved, product.results[0].shape);
  const auto lhs = divided(builder, product.inputs[0], left, by, batch, parts);
  const auto rhs = divided(builder, product.inputs[1], right, with, batch + rows, parts);
  if (!lhs || !rhs) return {};
  const Value all = builder.dot_general(lhs->value, rhs->value,
                                        {lhs->batch, rhs->batch, lhs->contract, rhs->contract});
  const Value ordered = builder.permute(all, order_of(*moved, parts));
  return {builder.reshape(ordered, sum.results[0].shape)};
}

// For each node of `graph`: true if it is a sum of a moved product without other readers.
SINTER_INLINE Vector<bool> sums_of_products(const Graph& graph) {
  Vector<std::size_t> readers(graph.nodes.size());
  for (const Node& node : graph.nodes) {
    for (const Value input : node.inputs) ++readers[input.node];
  }
  for (const Value output : graph.outputs) ++readers[output.node];
  Vector<bool> result(graph.nodes.size());
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (graph[id].op != Op::sum) continue;
    NodeId from = graph[id].inputs[0].node;
    const auto moves = [&] {
      return graph[from].op == Op::permute || graph[from].op == Op::reshape;
    };
    while (readers[from] == 1 && moves()) from = graph[from].inputs[0].node;
    result[id] = readers[from] == 1 && graph[from].op == Op::dot_general;
  }
  return result;
}

}  // namespace detail

SINTER_INLINE Graph contract_sums(Graph graph) {
  for (Node& node : graph.nodes) {
    for (Graph& body : node.bodies) body = contract_sums(std::move(body));
  }
  const Vector<bool> sums = detail::sums_of_products(graph);
  if (!contains(sums, true)) return graph;
  return rewrite_nodes(std::move(graph), [&](Builder& builder, const Node& node, NodeId id) {
    return sums[id] ? detail::contract_sum(builder, node) : Vector<Value>();
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::pass
