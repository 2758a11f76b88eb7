#pragma once
// Gradient rules, and the context of one: the node that it differentiates.

#include <cstddef>  // std::size_t

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/builder.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

/// One node of the reverse sweep. A rule appends to the graph of `builder`, so `node` is a copy.
struct Backward {
  Builder& builder;
  const Node& node;
  NodeId id;
  Span<const Value> gradients;   ///< Those of the results of the node, of their types.
  Vector<bool> wanted{};         ///< The inputs whose gradients are needed.
  Vector<Value>* all = nullptr;  ///< Where rules that find those of all inputs keep them.

  Value input(std::size_t i) const { return node.inputs[i]; }
  Value result() const { return id; }
  /// The gradient of the first result, which most nodes have alone.
  Value gradient() const { return gradients[0]; }
  TensorType type(std::size_t i) const { return builder.type(node.inputs[i]); }
};

/// The gradient of input `input`, of its type. Asked of floating inputs with floating results only.
using GradientFunction = Value (*)(const Backward& at, std::size_t input);

struct GradientRule {
  Op op;
  GradientFunction apply;  ///< None if nothing flows: the derivative is zero, or there is none.
};

/// No inputs, or results that are not floating.
inline constexpr GradientFunction no_derivative = nullptr;
/// Floating results that are constant but for steps.
inline constexpr GradientFunction zero_derivative = nullptr;

/// Follows or changes what rules of gradients and batches give: for bisect() and planted faults.
class RuleProbe {
 public:
  virtual ~RuleProbe() = default;
  /// The rule of `node`, a node of the graph of `builder`, gave `gradient` for its input `input`.
  /// Returns what to use instead.
  virtual Value differentiated(Builder& builder, const Node& node, std::size_t input,
                               Value gradient) = 0;
  /// The rule of `node`, a node of the graph `sample`, gave `result` for its result `number`.
  virtual Value batched(Builder& builder, const Graph& sample, const Node& node, std::size_t number,
                        Value result) = 0;
};
/// Null but for bisect() and tests. Of this thread.
inline thread_local RuleProbe* rule_probe = nullptr;

}  // namespace sinter::inline SINTER_ABI::detail::autodiff
