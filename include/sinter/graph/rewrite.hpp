#pragma once
// Rewriting: the only way in which a pass changes a graph.

#include <string_view>  // std::string_view

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Looks at `node`, whose inputs have already been rewritten and live in the graph of `builder`.
/// Returns what to use in place of each of its results, appending where it must, or nothing if it
/// does not apply.
using RuleFunction = Vector<Value> (*)(Builder& builder, const Node& node);

struct Rule {
  std::string_view name;  ///< "x * 1 -> x"; printed by SINTER_LOGS=graph.
  RuleFunction apply;
};

/// Follows, limits or changes what rules do on its thread: bisect() counts replacements, and tests
/// plant wrong ones.
class RewriteProbe {
 public:
  virtual ~RewriteProbe() = default;
  /// The pass of this name begins; "" after it has ended.
  virtual void begins(std::string_view pass) { static_cast<void>(pass); }
  /// `rule`, which may have no name, puts `replacement` in the place of `node`. Returns what to use
  /// instead; empty to keep the node.
  virtual Vector<Value> replaced(Builder& builder, std::string_view rule, const Node& node,
                                 Vector<Value> replacement) = 0;
};
/// Null but for bisect() and tests.
inline thread_local RewriteProbe* rewrite_probe = nullptr;

/// Rebuilds `graph` and its bodies: replaces each node by the result of the first rule that
/// applies, shares equal nodes, and drops dead nodes. Inputs stay. A graph without dead nodes to
/// which no rule applies is returned as it is, which takes a tenth of the time; to share its equal
/// nodes, rewrite it without rules.
Graph rewrite(Graph graph, Span<const Rule> rules);

/// The same with a single function `replace`, which receives the id of the node in `graph`; bodies
/// are unchanged.
Graph rewrite_nodes(Graph graph, FunctionRef<Vector<Value>(Builder&, const Node&, NodeId)> replace);

/// A copy of `graph` and its bodies without the nodes that only have side effects. Values that are
/// computed a second time are computed from it.
Graph without_side_effects(Graph graph);

template <class Replace>
Graph map_extents(Graph graph, const Replace& replace);

/// Replaces each extent of `node`, and of the bodies in it, by what `replace` gives for it.
template <class Replace>
void map_extents(Node& node, const Replace& replace) {
  const auto map = [&replace](const Shape& shape) {
    Shape result;
    for (const Extent& extent : shape) result.push_back(replace(extent));
    return result;
  };
  for (TensorType& type : node.results) type.shape = map(type.shape);
  for (Attribute& attribute : node.attributes) {
    if (auto* shape = attribute.value.get_if<Shape>()) *shape = map(*shape);
  }
  for (Graph& body : node.bodies) body = map_extents(std::move(body), replace);
}

/// A copy of `graph` in which each extent is replaced by what `replace` gives for it.
template <class Replace>
Graph map_extents(Graph graph, const Replace& replace) {
  for (Node& node : graph.nodes) map_extents(node, replace);
  return graph;
}

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/rewrite.ipp>
#endif
