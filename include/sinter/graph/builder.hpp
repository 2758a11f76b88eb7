#pragma once
// Appends nodes to a graph: infers their types and shares equal ones. Passes and gradient rules
// write programs with it.

#include <utility>  // std::move

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/graph/hash.hpp>

namespace sinter::inline SINTER_ABI::detail {

class Builder {
 public:
  /// Continues `graph`; its nodes take part in sharing, unless no node does.
  explicit Builder(Graph& graph, bool shares = true);

  /// Gives further nodes the source line, module and called function of `node`.
  void at(const Node& node) { at(node.where, node.path, node.called); }
  void at(Where where, const std::string* path = nullptr, const char* called = nullptr) {
    where_ = where, path_ = path, called_ = called;
  }

  /// Reserves memory for this many nodes.
  void reserve(std::size_t nodes);

  /// Appends `node`, or finds an equal one. Infers the types of its results.
  NodeId append(Node node);
  /// The same for a node with results.
  NodeId append_typed(Node&& node);
  /// The nodes of `body` with `operands` in place of its inputs: its outputs.
  Vector<Value> inlined(const Graph& body, Span<const Value> operands);

  const Graph& graph() const { return graph_; }
  // By value: appending a node invalidates references into the graph.
  TensorType type(Value value) const { return graph_.type(value); }
  Shape shape(Value value) const { return graph_.type(value).shape; }
  DType dtype(Value value) const { return graph_.type(value).dtype; }

  /// A new input: inputs are never shared.
  Value input(TensorType type);
  /// `number` in every element of a tensor of `type`.
  Value constant(Constant number, TensorType type);
  /// The same for a number of the rule that is being written: constant_like(x, 0.5).
  template <Number T>
  Value constant_like(Value value, T number) {
    return constant(sinter::detail::constant(number, dtype(value)), type(value));
  }
  Value iota(TensorType type, std::int64_t axis);

  Value cast(Value x, DType dtype);
  /// An elementwise operation on operands of equal shape and, but for select, equal dtype.
  Value elementwise(Op op, std::initializer_list<Value> operands);
  Value neg(Value x) { return elementwise(Op::neg, {x}); }
  Value add(Value x, Value y) { return elementwise(Op::add, {x, y}); }
  Value sub(Value x, Value y) { return elementwise(Op::sub, {x, y}); }
  Value mul(Value x, Value y) { return elementwise(Op::mul, {x, y}); }
  Value div(Value x, Value y) { return elementwise(Op::div, {x, y}); }
  Value select(Value condition, Value x, Value y) {
    return elementwise(Op::select, {condition, x, y});
  }

  /// sum, prod, max, min or argmax over `axes`, ascending, which are dropped.
  Value reduce(Op op, Value x, AxisList axes);
  /// cumsum or cumprod along `axis`.
  Value cumulate(Op op, Value x, std::int64_t axis);
  Value argsort(Value x, std::int64_t axis, bool descending);
  Value reshape(Value x, Shape shape);
  Value permute(Value x, AxisList axes);
  /// Repeats axes of extent 1; the rank stays.
  Value expand(Value x, Shape shape);
  Value pad(Value x, Shape low, Shape high, Constant value);
  /// `shape` of the elements x[start + i * step].
  Value slice(Value x, Shape start, AxisList step, Shape shape);
  /// `count` windows of `size` elements along `axis`, each `step` after the one before, of
  /// elements that are `dilation` apart.
  Value unfold(Value x, std::int64_t axis, Extent count, std::int64_t size, std::int64_t step = 1,
               std::int64_t dilation = 1);
  Value flip(Value x, AxisList axes);
  Value gather(Value x, Value indices, std::int64_t axis);
  Value scatter_add(Value x, Value indices, Value y, std::int64_t axis);
  Value concatenate(Span<const Value> parts, std::int64_t axis);
  Value dot_general(Value lhs, Value rhs, DotAxes axes);

 private:
  Node node(Op op, std::initializer_list<Value> inputs, Vector<Attribute> attributes = {});

  Graph& graph_;
  Where where_{};
  const std::string* path_ = nullptr;
  const char* called_ = nullptr;
  bool shares_;
  Numbering numbering_;  // symbols are those of one graph: any fixed numbering will do
  HashMap<Hash, NodeId, HashOfHash> ids_;
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/builder.ipp>
#endif
