#pragma once

#include <utility>  // std::move

#include <sinter/autodiff/gradient/callee_rules.hpp>
#include <sinter/autodiff/gradient/gradient.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/graph/subgraph.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

namespace detail {

SINTER_INLINE bool is_zero(const Graph& graph, Value value) {
  const Node& node = graph[value.node];
  return node.op == Op::constant &&
         attribute<Constant>(node, "value") == constant(0, node.results[0].dtype);
}

// The gradient of a graph, for the results that were reached. Its inputs are, in this order, inputs
// and outputs of that graph, and the gradients of these results.
class GradientGraph {
 public:
  GradientGraph(const Graph& forward, const Vector<std::uint32_t>& reached,
                const Vector<bool>& wanted)
      : forward_(forward), both_(forward) {
    Builder builder(both_);
    for (const std::uint32_t i : reached) {
      outputs_.push_back(forward.outputs[i]);
      seeds_.push_back(builder.input(forward.type(forward.outputs[i])));
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i]) variables_.push_back(forward.inputs[i]);
    }
  }

  DerivedCallee write(const Callee& of) {
    const Vector<Value> found = gradient(both_, outputs_, seeds_, variables_);
    Subgraph part = subgraph(both_, found, known());
    for (const Value input : part.inputs) note(input);
    for (const Value seed : seeds_) add_unread(seed, part);
    return {of.with(rewrite(std::move(part.graph), {})), operands_, results_};
  }

 private:
  // Seeds last. What is computed of nothing is not read.
  Vector<Value> known() const {
    Vector<Value> result(forward_.inputs.begin(), forward_.inputs.end());
    for (const Value output : forward_.outputs) {
      if (!forward_[output.node].inputs.empty()) result.push_back(output);
    }
    result.insert(result.end(), seeds_.begin(), seeds_.end());
    return result;
  }

  void note(Value input) {
    for (std::uint32_t i = 0; i < forward_.inputs.size(); ++i) {
      if (Value(forward_.inputs[i]) == input) return operands_.push_back(i);
    }
    for (std::uint32_t i = 0; i < forward_.outputs.size(); ++i) {
      if (forward_.outputs[i] == input) return results_.push_back(i);
    }
    read_seeds_.push_back(input);
  }

  // Each call gives all seeds, read or not, in their order.
  void add_unread(Value seed, Subgraph& part) {
    const std::size_t first = operands_.size() + results_.size();
    if (next_ < read_seeds_.size() && read_seeds_[next_] == seed) {
      order_.push_back(part.graph.inputs[first + next_++]);
    } else {
      order_.push_back(static_cast<NodeId>(part.graph.nodes.size()));
      part.graph.nodes.push_back({.op = Op::input, .results = {both_.type(seed)}});
    }
    if (order_.size() < seeds_.size()) return;
    part.graph.inputs.resize(first);
    part.graph.inputs.insert(part.graph.inputs.end(), order_.begin(), order_.end());
  }

  const Graph& forward_;
  Graph both_;
  Vector<Value> outputs_{}, seeds_{}, variables_{}, read_seeds_{};
  Vector<std::uint32_t> operands_{}, results_{};
  Vector<NodeId> order_{};
  std::size_t next_ = 0;
};

SINTER_INLINE Hash key_of_gradient(const Vector<std::uint32_t>& reached,
                                   const Vector<bool>& wanted) {
  Hasher hasher;
  hasher.add("gradient").add(reached.size());
  for (const std::uint32_t i : reached) hasher.add(std::uint64_t{i});
  for (const bool flag : wanted) hasher.add(std::uint64_t{flag});
  return hasher.result();
}

}  // namespace detail

SINTER_INLINE Vector<Value> callee_gradients(const Backward& at) {
  Vector<Value> result(at.node.inputs.size());
  Vector<std::uint32_t> reached;
  for (std::uint32_t i = 0; i < at.gradients.size(); ++i) {
    const bool is_floating_result = is_floating(at.node.results[i].dtype);
    if (is_floating_result && !detail::is_zero(at.builder.graph(), at.gradients[i])) {
      reached.push_back(i);
    }
  }
  const Callee& callee = *callee_of(at.node);
  const DerivedCallee& derived =
      callee.derived(detail::key_of_gradient(reached, at.wanted), [&]() -> DerivedCallee {
        return detail::GradientGraph(callee.graph(), reached, at.wanted).write(callee);
      });
  const auto sizes = callee_sizes(at.node);
  Node node = call_of(derived.callee, {sizes.begin(), sizes.end()});
  node.where = at.node.where, node.path = at.node.path;
  for (const std::uint32_t i : derived.operands) node.inputs.push_back(at.node.inputs[i]);
  for (const std::uint32_t i : derived.results) node.inputs.push_back({at.id, i});
  for (const std::uint32_t i : reached) node.inputs.push_back(at.gradients[i]);
  const NodeId id = at.builder.append(std::move(node));
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (at.wanted[i]) result[i] = {id, next++};
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff
