#pragma once
// The recorded program: a list of nodes, each after the nodes it reads.

#include <cstdint>      // std::uint32_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/constant.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/container/variant.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>
#include <sinter/symbol/shape.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The static type of a value: "f32[64, 128]".
struct TensorType {
  DType dtype{};
  Shape shape{};
};

/// True for equal dtypes and provably equal shapes.
inline bool same(const TensorType& a, const TensorType& b) {
  return a.dtype == b.dtype && same(a.shape, b.shape);
}

/// The position of a node in its graph. Every pass keeps one invariant: inputs have smaller ids.
using NodeId = std::uint32_t;

/// A result of a node: the first, which most nodes have alone, unless another is named.
struct Value {
  Value() = default;
  Value(NodeId of, std::uint32_t index = 0) : node(of), result(index) {}
  bool operator==(const Value&) const = default;

  NodeId node = 0;
  std::uint32_t result = 0;
};

class Callee;
struct CustomCode;

/// A named attribute of an operation, such as the axes of a permute. Names are literals.
struct Attribute {
  std::string_view name;
  Variant<Constant, Shape, std::vector<std::int64_t>, std::string, SharedPtr<const Callee>,
          SharedPtr<const CustomCode>>
      value;
};

using AxisList = std::vector<std::int64_t>;

/// The axes that a dot_general pairs.
struct DotAxes {
  AxisList lhs_batch{}, rhs_batch{}, lhs_contract{}, rhs_contract{};
};

struct Node;

struct Graph {
  const Node& operator[](NodeId id) const;
  const TensorType& type(Value value) const;
  NodeId append(Node&& node);

  Vector<Node> nodes;
  Vector<NodeId> inputs;  ///< The nodes of op input, in the order of the arguments.
  Vector<Value> outputs;
  bool tf32 = false;  ///< A GPU may use TF32 for f32 products. Passes do not keep it.
};

/// Defined after Graph, because it may own graphs.
struct Node {
  Op op{};
  SmallVector<Value, 3> inputs{};
  Vector<Attribute> attributes{};
  SmallVector<TensorType, 1> results{};
  Vector<Graph> bodies{};             ///< The branches of a cond, the body of a loop.
  Where where{};                      ///< The line of the user's program that asked for this node.
  const std::string* path = nullptr;  ///< "encoder.layers.3", interned; for messages only.
  const char* called = nullptr;       ///< The public function that was called; null: named as op.
};

inline const Node& Graph::operator[](NodeId id) const { return nodes[id]; }

inline const TensorType& Graph::type(Value value) const {
  return nodes[value.node].results[value.result];
}

/// The part of a node that errors report.
CalledFunction called_function(const Node& node);

/// The attribute `name` of `node`, which all nodes of its operation have.
template <class T>
const T& attribute(const Node& node, std::string_view name) {
  for (const Attribute& attribute : node.attributes) {
    if (attribute.name == name) return attribute.value.get<T>();
  }
  throw InternalError(text(info(node.op).name, " without the attribute ", name));
}

/// Whether `node` has the attribute `name`, which not all nodes of its operation have.
bool has_attribute(const Node& node, std::string_view name);

/// Whether `node` is a cast that the program asks for by name, which rounds: `x.to(bf16)`. Casts
/// that are part of other operations round as those do, and under fast numerics fused ones do not.
bool is_written_cast(const Node& node);

/// An attribute that is one integer: the axis of an argmax.
inline std::int64_t number(const Node& node, std::string_view name) {
  return attribute<Constant>(node, name).integer();
}

/// An attribute that is a list of integers: the axes of a sum.
inline const std::vector<std::int64_t>& numbers(const Node& node, std::string_view name) {
  return attribute<std::vector<std::int64_t>>(node, name);
}

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/graph.ipp>
#endif
