#pragma once

#include <utility>  // std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/runtime/interpreter/contraction.hpp>
#include <sinter/runtime/interpreter/control.hpp>
#include <sinter/runtime/interpreter/creation.hpp>
#include <sinter/runtime/interpreter/elementwise.hpp>
#include <sinter/runtime/interpreter/indexed.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/runtime/interpreter/movement.hpp>
#include <sinter/runtime/interpreter/reduce.hpp>
#include <sinter/runtime/interpreter/scan_and_sort.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace interpreter {

// A node, the values of its inputs, and the shape of its result in this call.
struct Step {
  const Node& node;
  Span<const Array> inputs;
  Sizes shape;
  SymbolSize size;
};

using Rule = Array (*)(const Step& step);

namespace detail {

SINTER_INLINE Sizes evaluate_shape(const Shape& shape, SymbolSize size) {
  Sizes result;
  for (const Extent& extent : shape) result.push_back(evaluate(extent, size));
  return result;
}

SINTER_INLINE Sizes axes_of(const Step& step, std::string_view name) {
  const auto& axes = numbers(step.node, name);
  return {axes.data(), axes.data() + axes.size()};
}

SINTER_INLINE Array run_constant(const Step& step) {
  return constant(attribute<Constant>(step.node, "value"), step.shape, step.node.where);
}

SINTER_INLINE Array run_iota(const Step& step) {
  return iota(step.node.results[0].dtype, step.shape, number(step.node, "axis"), step.node.where);
}

SINTER_INLINE Array run_random_bits(const Step& step) {
  return random_bits(word_of(step.inputs[0]), word_of(step.inputs[1]),
                     static_cast<std::uint32_t>(number(step.node, "number")), step.shape,
                     step.node.where);
}

SINTER_INLINE Array run_elementwise(const Step& step) {
  return elementwise(step.node.op, step.inputs, step.node.results[0].dtype, step.node.where);
}

SINTER_INLINE Array run_reduction(const Step& step) {
  return reduce(step.node.op, step.inputs[0], axes_of(step, "axes"), step.node.where);
}

SINTER_INLINE Array run_cumulate(const Step& step) {
  return cumulate(step.node.op, step.inputs[0], number(step.node, "axis"), step.node.where);
}

SINTER_INLINE Array run_argsort(const Step& step) {
  return argsort(step.inputs[0], number(step.node, "axis"), number(step.node, "descending") != 0,
                 step.node.where);
}

SINTER_INLINE Array run_reshape(const Step& step) {
  return reshape(step.inputs[0], step.shape, step.node.where);
}

SINTER_INLINE Array run_permute(const Step& step) {
  return permute(step.inputs[0], axes_of(step, "axes"));
}

SINTER_INLINE Array run_expand(const Step& step) { return expand(step.inputs[0], step.shape); }

SINTER_INLINE Array run_pad(const Step& step) {
  return pad(step.inputs[0], evaluate_shape(attribute<Shape>(step.node, "low"), step.size),
             evaluate_shape(attribute<Shape>(step.node, "high"), step.size),
             attribute<Constant>(step.node, "value"), step.node.where);
}

SINTER_INLINE Array run_slice(const Step& step) {
  return slice(step.inputs[0], evaluate_shape(attribute<Shape>(step.node, "start"), step.size),
               axes_of(step, "step"), step.shape);
}

SINTER_INLINE Array run_unfold(const Step& step) {
  return unfold(step.inputs[0], number(step.node, "axis"), number(step.node, "step"),
                number(step.node, "dilation"), step.shape);
}

SINTER_INLINE Array run_flip(const Step& step) {
  return flip(step.inputs[0], axes_of(step, "axes"));
}

SINTER_INLINE Array run_gather(const Step& step) {
  return gather(step.inputs[0], step.inputs[1], number(step.node, "axis"), step.node.where);
}

SINTER_INLINE Array run_scatter_add(const Step& step) {
  return scatter_add(step.inputs[0], step.inputs[1], step.inputs[2], number(step.node, "axis"),
                     step.node.where);
}

SINTER_INLINE Array run_concatenate(const Step& step) {
  return concatenate(step.inputs, number(step.node, "axis"), step.shape, step.node.where);
}

SINTER_INLINE Array run_dot_general(const Step& step) {
  return dot_general(step.inputs[0], step.inputs[1],
                     {axes_of(step, "lhs_batch"), axes_of(step, "rhs_batch"),
                      axes_of(step, "lhs_contract"), axes_of(step, "rhs_contract")},
                     step.node.where);
}

// The rule of each operation; inputs and control flow have none, interpret() handles them.
SINTER_INLINE Rule rule_of(Op op) {
  if (is_elementwise(op)) return run_elementwise;
  if (is_reduction(op)) return run_reduction;
  if (info(op).kind == OpKind::row) return op == Op::argsort ? run_argsort : run_cumulate;
  switch (op) {
    case Op::constant:
      return run_constant;
    case Op::iota:
      return run_iota;
    case Op::random_bits:
      return run_random_bits;
    case Op::reshape:
      return run_reshape;
    case Op::permute:
      return run_permute;
    case Op::expand:
      return run_expand;
    case Op::pad:
      return run_pad;
    case Op::slice:
      return run_slice;
    case Op::unfold:
      return run_unfold;
    case Op::flip:
      return run_flip;
    case Op::gather:
      return run_gather;
    case Op::scatter_add:
      return run_scatter_add;
    case Op::concatenate:
      return run_concatenate;
    case Op::dot_general:
      return run_dot_general;
    default:
      return nullptr;
  }
}

// One run of a graph.
class Evaluation {
 public:
  Evaluation(const Graph& graph, SymbolSize size)
      : graph_(graph),
        size_(size),
        values_(graph.nodes.size()),
        more_(graph.nodes.size()),
        last_use_(last_uses(graph)) {}

  Vector<Storage> run(Span<const Storage> inputs) {
    bind(inputs);
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (graph_[id].op == Op::input || last_use_[id] == unused) continue;
      evaluate_node(id);
      if (node_watch != nullptr) watch_node(id);
      for (Value input : graph_[id].inputs) {
        if (last_use_[input.node] == id) values_[input.node] = Array(), more_[input.node].clear();
      }
    }
    Vector<Storage> outputs;
    for (Value output : graph_.outputs) {
      outputs.push_back(storage_of(value(output), graph_[output.node].where));
    }
    return outputs;
  }

 private:
  // Markers for last_use_: no reader (node 0 reads nothing, so it is never a last reader), and the
  // caller, who reads outputs.
  static constexpr NodeId unused = 0;
  static constexpr NodeId is_output = static_cast<NodeId>(-1);

  // The last node that reads each node, among nodes that outputs depend on.
  static Vector<NodeId> last_uses(const Graph& graph) {
    Vector<NodeId> last(graph.nodes.size(), unused);
    for (Value value : graph.outputs) last[value.node] = is_output;
    for (std::size_t id = graph.nodes.size(); id-- > 0;) {
      if (last[id] == unused && has_side_effects(graph.nodes[id])) last[id] = is_output;
      if (last[id] == unused) continue;
      for (Value input : graph.nodes[id].inputs) {
        if (last[input.node] == unused) last[input.node] = static_cast<NodeId>(id);
      }
    }
    return last;
  }

  void bind(Span<const Storage> inputs) {
    if (inputs.size() != graph_.inputs.size()) {
      throw InternalError(
          text("interpret: ", inputs.size(), " inputs for a graph of ", graph_.inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const TensorType& type = graph_.type(graph_.inputs[i]);
      const Sizes shape = evaluate_shape(type.shape, size_);
      const auto bytes = static_cast<std::size_t>(count(shape)) * info(type.dtype).size;
      if (inputs[i].bytes() < bytes) {
        throw InternalError(
            text("interpret: input ", i, " has ", inputs[i].bytes(), " bytes instead of ", bytes));
      }
      values_[graph_.inputs[i]] = {type.dtype, shape, dense_strides(shape), 0, inputs[i]};
    }
  }

  const Array& value(Value of) const {
    return of.result == 0 ? values_[of.node] : more_[of.node][of.result - 1];
  }

  void evaluate_node(NodeId id) {
    const Node& node = graph_[id];
    Vector<Array> inputs;
    for (Value input : node.inputs) inputs.push_back(value(input));
    if (is_control(node.op) || node.op == Op::custom_elementwise) {
      more_[id] = control(node, inputs, size_);
      values_[id] = std::move(more_[id].front());
      more_[id].erase(more_[id].begin());
      return;
    }
    const Rule rule = rule_of(node.op);
    if (rule == nullptr) throw InternalError(text("interpret: no rule for ", node.op));
    const PublicCall call(called_function(node));
    values_[id] = rule({node, inputs, evaluate_shape(node.results[0].shape, size_), size_});
  }

  void watch_node(NodeId id) const {
    Vector<Array> inputs, results;
    for (const Value input : graph_[id].inputs) inputs.push_back(value(input));
    for (std::uint32_t i = 0; i < graph_[id].results.size(); ++i) results.push_back(value({id, i}));
    node_watch->evaluated(graph_, id, inputs, results);
  }

  const Graph& graph_;
  SymbolSize size_;
  Vector<Array> values_;        // the first result of each node
  Vector<Vector<Array>> more_;  // its other results
  Vector<NodeId> last_use_;
};

}  // namespace detail

}  // namespace interpreter

SINTER_INLINE Vector<Storage> interpret(const Graph& graph, Span<const Storage> inputs,
                                        SymbolSize size) {
  if (interpreter_is_forbidden().load(std::memory_order_relaxed)) {
    throw InternalError("the interpreter was called while it is forbidden");
  }
  return interpreter::detail::Evaluation(graph, size).run(inputs);
}

SINTER_INLINE Vector<Storage> interpret(const Graph& graph, Span<const Storage> inputs,
                                        Span<const std::int64_t> symbols) {
  return interpret(graph, inputs, [symbols](Extent symbol) {
    if (symbol.id() >= symbols.size()) throw InternalError(text("no size for ", symbol));
    return symbols[symbol.id()];
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
