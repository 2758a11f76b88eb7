#pragma once

#include <utility>  // std::move

#include <sinter/autodiff/gradient/callee_rules.hpp>
#include <sinter/autodiff/gradient/control_rules.hpp>
#include <sinter/autodiff/gradient/gradient.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/rewrite.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

namespace detail {

// The results of a node to which something flowed.
SINTER_INLINE Vector<std::size_t> reached_results(const Backward& at) {
  Vector<std::size_t> result;
  for (std::size_t i = 0; i < at.gradients.size(); ++i) {
    const bool is_zero_gradient = is_zero(at.builder.graph(), at.gradients[i]);
    if (is_floating(at.node.results[i].dtype) && !is_zero_gradient) result.push_back(i);
  }
  return result;
}

// Keeps the gradients of all inputs, and gives that of one.
template <class Find>
Value find_once(const Backward& at, std::size_t input, Find find) {
  if (at.all == nullptr) return find(at)[input];
  if (at.all->empty()) *at.all = find(at);
  return (*at.all)[input];
}

// A branch of the gradient of a cond: of the operands and the gradients of its results.
SINTER_INLINE Graph adjoint_branch(const Backward& at, const Graph& branch,
                                   const Vector<std::size_t>& reached) {
  Graph result = branch;
  Vector<Value> outputs, seeds, variables;
  {
    Builder builder(result);
    for (const std::size_t i : reached) {
      outputs.push_back(branch.outputs[i]);
      seeds.push_back(builder.input(at.node.results[i]));
    }
  }
  for (std::size_t i = 1; i < at.wanted.size(); ++i) {
    if (at.wanted[i]) variables.push_back(branch.inputs[i - 1]);
  }
  result.outputs = gradient(result, outputs, seeds, variables);
  return rewrite(result, {});
}

SINTER_INLINE Vector<Value> cond_gradients(const Backward& at) {
  const Vector<std::size_t> reached = reached_results(at);
  Node node{.op = Op::cond,
            .inputs = at.node.inputs,
            .where = at.node.where,
            .path = at.node.path,
            .called = at.node.called};
  for (const std::size_t i : reached) node.inputs.push_back(at.gradients[i]);
  for (const Graph& branch : at.node.bodies) {
    node.bodies.push_back(adjoint_branch(at, without_side_effects(branch), reached));
  }
  const NodeId id = at.builder.append(std::move(node));
  Vector<Value> result(at.node.inputs.size());
  std::uint32_t next = 0;
  for (std::size_t i = 1; i < result.size(); ++i) {
    if (at.wanted[i]) result[i] = {id, next++};
  }
  return result;
}

// The gradients of the inputs of body 0, in its terms.
SINTER_INLINE Vector<Value> own_gradients(const Backward& at) {
  Graph adjoint = without_side_effects(at.node.bodies[0]);
  const Vector<Value> outputs = adjoint.outputs;
  Vector<Value> reached, seeds, variables, operands(at.node.inputs.begin(), at.node.inputs.end());
  for (const std::size_t i : reached_results(at)) {
    reached.push_back(outputs[i]);
    seeds.push_back(Builder(adjoint).input(at.node.results[i]));
    operands.push_back(at.gradients[i]);
  }
  for (std::size_t i = 0; i < at.wanted.size(); ++i) {
    if (at.wanted[i]) variables.push_back(adjoint.inputs[i]);
  }
  adjoint.outputs = gradient(adjoint, reached, seeds, variables);
  return at.builder.inlined(adjoint, operands);
}

// The gradients of all floating inputs, by body 1.
SINTER_INLINE Vector<Value> custom_gradients(const Backward& at) {
  Vector<Value> operands(at.node.inputs.begin(), at.node.inputs.end());
  for (std::uint32_t i = 0; i < at.node.results.size(); ++i) operands.push_back({at.id, i});
  for (std::size_t i = 0; i < at.node.results.size(); ++i) {
    if (is_floating(at.node.results[i].dtype)) operands.push_back(at.gradients[i]);
  }
  return at.builder.inlined(at.node.bodies[1], operands);
}

// The gradients of the floating inputs of a custom operation with rules.
SINTER_INLINE Vector<Value> ruled_gradients(const Backward& at) {
  Vector<Value> results;
  for (std::uint32_t i = 0; i < at.node.results.size(); ++i) results.push_back({at.id, i});
  const Vector<Value> found =
      custom_code(at.node).rules->gradients(at.builder, at.node, results, at.gradients);
  Vector<Value> result(at.node.inputs.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (is_floating(at.type(i).dtype)) result[i] = found[next++];
  }
  return result;
}

SINTER_INLINE Vector<Value> call_gradients(const Backward& at) {
  if (callee_of(at.node) != nullptr) return callee_gradients(at);
  const bool is_custom = at.node.bodies.size() == 2;
  const Vector<Value> found = is_custom ? custom_gradients(at) : own_gradients(at);
  Vector<Value> result(at.node.inputs.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const bool is_given = is_custom ? is_floating(at.type(i).dtype) : at.wanted[i];
    if (is_given) result[i] = found[next++];
  }
  return result;
}

// Writes the scan that goes back over the steps of another. Its carries are the gradients of the
// carries and the sums of the gradients of what is the same in each step; it goes over the
// carries that the steps were given, what they read, and the gradients of what they gave.
class ReverseScan {
 public:
  explicit ReverseScan(const Backward& at)
      : at_(at),
        layout_(scan_layout(at.node)),
        body_(without_side_effects(at.node.bodies[0])),
        reached_(reached_results(at)) {}

  Vector<Value> gradients() {
    Node node{
        .op = Op::scan, .where = at_.node.where, .path = at_.node.path, .called = at_.node.called};
    write_body();
    const Value forward = forward_with_carries();
    add_carries(node);
    add_xs(node, forward);
    for (std::size_t i = first_same(); i < at_.node.inputs.size(); ++i) {
      node.inputs.push_back(at_.node.inputs[i]);
    }
    node.attributes = {{"carries", constant(std::int64_t(carries_.size() + same_.size()))},
                       {"xs", constant(std::int64_t(first_same() + stacked_.size()))},
                       {"reverse", constant(std::int64_t(layout_.reverse ? 0 : 1))}};
    node.bodies.push_back(rewrite(graph_, {}));
    return by_input(at_.builder.append(std::move(node)));
  }

 private:
  std::size_t first_same() const { return layout_.carries + layout_.xs; }
  TensorType type(std::size_t input) const { return body_.type(body_.inputs[input]); }

  void write_body() {
    graph_ = body_;
    Vector<Value> outputs, seeds, variables, sums;
    {
      Builder builder(graph_);
      for (std::size_t i = 0; i < layout_.carries; ++i) {
        if (!is_floating(type(i).dtype)) continue;
        carries_.push_back(i);
        outputs.push_back(body_.outputs[i]);
        seeds.push_back(builder.input(type(i)));
      }
      for (std::size_t i = first_same(); i < at_.wanted.size(); ++i) {
        if (!at_.wanted[i]) continue;
        same_.push_back(i);
        sums.push_back(builder.input(type(i)));
      }
      for (const std::size_t i : reached_) {
        if (i < layout_.carries) continue;
        stacked_.push_back(i);
        outputs.push_back(body_.outputs[i]);
        seeds.push_back(builder.input(body_.type(body_.outputs[i])));
      }
    }
    for (std::size_t i = layout_.carries; i < first_same(); ++i) {
      if (at_.wanted[i]) xs_.push_back(i);
    }
    for (const auto* const list : {&carries_, &same_, &xs_}) {
      for (const std::size_t i : *list) variables.push_back(body_.inputs[i]);
    }
    Vector<Value> found = gradient(graph_, outputs, seeds, variables);
    Builder builder(graph_);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      Value& sum = found[carries_.size() + i];
      sum = builder.add(sums[i], sum);
    }
    graph_.outputs = found;
    order_inputs(seeds, sums);
  }

  // Gradients of carries, sums, carries, xs, gradients of what is stacked, and what is the same.
  void order_inputs(const Vector<Value>& seeds, const Vector<Value>& sums) {
    Vector<NodeId> order;
    const std::size_t carries = carries_.size();
    for (std::size_t i = 0; i < carries; ++i) order.push_back(seeds[i].node);
    for (const Value sum : sums) order.push_back(sum.node);
    for (std::size_t i = 0; i < first_same(); ++i) order.push_back(body_.inputs[i]);
    for (std::size_t i = carries; i < seeds.size(); ++i) order.push_back(seeds[i].node);
    for (std::size_t i = first_same(); i < body_.inputs.size(); ++i) {
      order.push_back(body_.inputs[i]);
    }
    graph_.inputs = order;
  }

  // The scan itself, which also gives the carries that each step was given.
  Value forward_with_carries() {
    Node node = at_.node;
    node.results.clear();
    node.bodies = {body_};
    Graph& body = node.bodies[0];
    for (std::size_t i = 0; i < layout_.carries; ++i) body.outputs.push_back(body.inputs[i]);
    return at_.builder.append(std::move(node));
  }

  void add_carries(Node& node) {
    for (const std::size_t i : carries_) node.inputs.push_back(at_.gradients[i]);
    for (const std::size_t i : same_) {
      node.inputs.push_back(at_.builder.constant_like(at_.node.inputs[i], 0));
    }
  }

  void add_xs(Node& node, Value forward) {
    const auto first_kept = static_cast<std::uint32_t>(body_.outputs.size());
    for (std::size_t i = 0; i < layout_.carries; ++i) {
      node.inputs.push_back({forward.node, first_kept + static_cast<std::uint32_t>(i)});
    }
    for (std::size_t i = layout_.carries; i < first_same(); ++i) {
      node.inputs.push_back(at_.node.inputs[i]);
    }
    for (const std::size_t i : stacked_) node.inputs.push_back(at_.gradients[i]);
  }

  Vector<Value> by_input(NodeId id) const {
    Vector<Value> result(at_.node.inputs.size());
    std::uint32_t next = 0;
    for (const auto* const list : {&carries_, &same_, &xs_}) {
      for (const std::size_t i : *list) result[i] = {id, next++};
    }
    return result;
  }

  const Backward& at_;
  ScanLayout layout_;
  const Graph body_;
  Vector<std::size_t> reached_;
  Graph graph_{};                              // the body of the new scan
  Vector<std::size_t> carries_{}, xs_{};       // inputs of which gradients are found
  Vector<std::size_t> same_{};                 // the same, of what is the same in each step
  Vector<std::size_t> stacked_{};              // results that are stacked and were reached
};

}  // namespace detail

SINTER_INLINE Value gradient_of::call(const Backward& at, std::size_t input) {
  return autodiff::detail::find_once(at, input, autodiff::detail::call_gradients);
}

SINTER_INLINE Value gradient_of::cond(const Backward& at, std::size_t input) {
  return autodiff::detail::find_once(at, input, autodiff::detail::cond_gradients);
}

SINTER_INLINE Value gradient_of::scan(const Backward& at, std::size_t input) {
  return autodiff::detail::find_once(at, input, [](const Backward& step) {
    return autodiff::detail::ReverseScan(step).gradients();
  });
}

SINTER_INLINE Value gradient_of::while_loop(const Backward& at, std::size_t) {
  throw GradientError({.op = "while_loop",
                       .what = "a gradient is asked for through a while_loop",
                       .facts = {},
                       .rule =
                           "a gradient needs the states of all steps, and how many a while_loop "
                           "makes is known only when it has run",
                       .fix = "use scan, whose number of steps is a size; or detach(x) what needs "
                              "no gradient",
                       .where = at.node.where,
                       .see = "gradients"});
}

SINTER_INLINE Value gradient_of::custom(const Backward& at, std::size_t input) {
  if (custom_code(at.node).rules != nullptr) {
    return autodiff::detail::find_once(at, input, autodiff::detail::ruled_gradients);
  }
  if (at.node.bodies.size() == 2 || reference_of(at.node) != nullptr) return call(at, input);
  throw GradientError({.op = custom_code(at.node).name,
                       .what = "a gradient is asked for through a custom operation without one",
                       .facts = {},
                       .rule = "a gradient flows through .reference or .backward",
                       .fix = "give custom_op one of them, or detach(x) what needs no gradient",
                       .where = at.node.where,
                       .see = "custom-operations"});
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff
