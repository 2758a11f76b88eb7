#pragma once

#include <utility>  // std::move, std::pair

#include <sinter/base/constant.hpp>
#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/debug/fault/problem.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

SINTER_INLINE TensorType concrete(const Problem& problem, const TensorType& type) {
  TensorType result{type.dtype, {}};
  for (const Extent& extent : type.shape) {
    result.shape.push_back(Extent(evaluate(extent, problem.symbols)));
  }
  return result;
}

SINTER_INLINE std::size_t bytes_of(const Problem& problem, const TensorType& type) {
  const std::int64_t elements = evaluate(numel(type.shape), problem.symbols);
  return static_cast<std::size_t>(elements) * info(type.dtype).size;
}

SINTER_INLINE Problem with_numbers(Problem problem) {
  const auto number = [symbols = problem.symbols](const Extent& extent) {
    return extent.is_number() ? extent : Extent(evaluate(extent, symbols));
  };
  problem.graph = map_extents(std::move(problem.graph), number);
  problem.symbols.clear();
  return problem;
}

namespace detail {

SINTER_INLINE bool is_narrow(DType dtype) { return is_floating(dtype) && dtype != f64; }

SINTER_INLINE void widen(Graph& graph) {
  for (Node& node : graph.nodes) {
    for (TensorType& type : node.results) {
      if (is_narrow(type.dtype)) type.dtype = f64;
    }
    for (Attribute& attribute : node.attributes) {
      auto* const number = attribute.value.get_if<Constant>();
      if (number != nullptr && is_narrow(number->dtype)) number->dtype = f64;
    }
    for (Graph& body : node.bodies) widen(body);
  }
}

SINTER_INLINE Storage widened_elements(DType dtype, const Storage& from) {
  if (!is_narrow(dtype)) return from;
  const std::size_t count = from.bytes() / info(dtype).size;
  const Storage result = Storage::allocate(count * sizeof(double));
  visit_dtype(dtype, [&]<class T>(T) {
    for (std::size_t i = 0; i < count; ++i) {
      static_cast<double*>(result.data())[i] =
          static_cast<double>(static_cast<const T*>(from.data())[i]);
    }
  });
  return result;
}

}  // namespace detail

SINTER_INLINE Problem widened(Problem problem) {
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const DType dtype = problem.graph.type(problem.graph.inputs[i]).dtype;
    problem.inputs[i] = detail::widened_elements(dtype, problem.inputs[i]);
  }
  detail::widen(problem.graph);
  return problem;
}

SINTER_INLINE Vector<Storage> values_of(const Problem& problem, Span<const Value> wanted) {
  if (wanted.empty()) return {};
  Graph graph = problem.graph;
  graph.outputs.clear();
  for (const Value value : wanted) graph.outputs.push_back(value);
  return runtime::interpret(graph, problem.inputs, problem.symbols);
}

namespace detail {

using ValueKey = std::pair<NodeId, std::uint32_t>;

// Copies nodes of a graph to another one whose inputs are what they read of other nodes.
class PartBuilder {
 public:
  explicit PartBuilder(const Problem& whole) : whole_(whole) {
    result_.options = whole.options;
    result_.options.updates.clear();
    result_.symbols = whole.symbols;
    result_.graph.tf32 = whole.graph.tf32;
  }

  /// A new input for `value`, unless it has one.
  void add_input(Value value) {
    if (moved_.count({value.node, value.result}) != 0) return;
    Node input{.op = Op::input, .results = {whole_.graph.type(value)}};
    input.where = whole_.graph[value.node].where;
    const NodeId id = result_.graph.append(std::move(input));
    moved_[{value.node, value.result}] = id;
    boundary_.push_back(value);
  }

  void add_node(NodeId id) {
    Node node = whole_.graph[id];
    for (Value& input : node.inputs) input = moved_.at({input.node, input.result});
    const auto results = static_cast<std::uint32_t>(node.results.size());
    const NodeId made = result_.graph.append(std::move(node));
    for (std::uint32_t i = 0; i < results; ++i) moved_[{id, i}] = Value(made, i);
  }

  void add_output(Value value) {
    result_.graph.outputs.push_back(moved_.at({value.node, value.result}));
  }
  /// Later nodes read inputs of their own.
  void forget() { moved_.clear(); }

  Problem finish() {
    result_.inputs = values_of(whole_, boundary_);
    return std::move(result_);
  }

  /// Keeps the updates whose input and output are those of the part.
  void keep_updates() {
    const Graph& graph = whole_.graph;
    for (const schedule::Update& update : whole_.options.updates) {
      const Value from = graph.inputs[static_cast<std::size_t>(update.input)];
      const Value to = graph.outputs[static_cast<std::size_t>(update.output)];
      const auto input = moved_.find({from.node, 0}), output = moved_.find({to.node, to.result});
      if (input == moved_.end() || output == moved_.end()) continue;
      const NodeId* const node = find(result_.graph.inputs, input->second.node);
      const Value* const value = find(result_.graph.outputs, output->second);
      if (node == result_.graph.inputs.end() || value == result_.graph.outputs.end()) continue;
      result_.options.updates.push_back(
          {static_cast<std::int32_t>(node - result_.graph.inputs.begin()),
           static_cast<std::int32_t>(value - result_.graph.outputs.begin())});
    }
  }

 private:
  const Problem& whole_;
  Problem result_{};
  Vector<Value> boundary_{};
  SortedMap<ValueKey, Value> moved_{};
};

}  // namespace detail

SINTER_INLINE Problem part_of(const Problem& problem, const Vector<bool>& keep) {
  const Graph& graph = problem.graph;
  detail::PartBuilder part(problem);
  SortedSet<detail::ValueKey> read, outputs;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (!keep[id]) continue;
    for (const Value input : graph[id].inputs) {
      read.insert({input.node, input.result});
      if (!keep[input.node]) part.add_input(input);
    }
  }
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (keep[id]) part.add_node(id);
  }
  for (const Value output : graph.outputs) outputs.insert({output.node, output.result});
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    for (std::uint32_t i = 0; keep[id] && i < graph[id].results.size(); ++i) {
      if (read.count({id, i}) == 0 || outputs.count({id, i}) != 0) part.add_output({id, i});
    }
  }
  part.keep_updates();
  return part.finish();
}

SINTER_INLINE Problem unfused(const Problem& problem, const Vector<NodeId>& nodes) {
  detail::PartBuilder part(problem);
  for (const NodeId id : nodes) {
    part.forget();
    for (const Value input : problem.graph[id].inputs) part.add_input(input);
    part.add_node(id);
    const auto results = static_cast<std::uint32_t>(problem.graph[id].results.size());
    for (std::uint32_t i = 0; i < results; ++i) part.add_output({id, i});
  }
  return part.finish();
}

SINTER_INLINE Problem problem_of(Node node, Span<const TensorType> types, Vector<Storage> values) {
  Problem result;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const NodeId id = result.graph.append({.op = Op::input, .results = {types[i]}});
    node.inputs[i] = Value(id);
  }
  const auto results = static_cast<std::uint32_t>(node.results.size());
  const NodeId id = result.graph.append(std::move(node));
  for (std::uint32_t i = 0; i < results; ++i) result.graph.outputs.push_back({id, i});
  result.inputs = std::move(values);
  return result;
}

SINTER_INLINE Problem with_made_inputs(Node node, Span<const TensorType> types) {
  Problem sizes;  // symbols are 3
  sizes.symbols.assign(64, 3);
  Vector<TensorType> fixed;
  Vector<Storage> values;
  for (const TensorType& type : types) {
    fixed.push_back(concrete(sizes, type));
    const Storage storage = Storage::allocate(bytes_of(sizes, type));
    visit_dtype(type.dtype, [&]<class T>(T) {
      for (std::size_t i = 0; i < storage.bytes() / sizeof(T); ++i) {
        const double number = is_floating(type.dtype) ? 0.5 + 0.25 * static_cast<double>(i * 5 % 8)
                                                      : static_cast<double>(i % 2);
        static_cast<T*>(storage.data())[i] = convert_element<T>(number);
      }
    });
    values.push_back(storage);
  }
  Problem result = problem_of(std::move(node), fixed, std::move(values));
  result.symbols = sizes.symbols;
  return with_numbers(std::move(result));
}

SINTER_INLINE Vector<NodeId> operations_of(const Graph& graph) {
  Vector<bool> needed(graph.nodes.size());
  for (const Value output : graph.outputs) needed[output.node] = true;
  for (std::size_t id = graph.nodes.size(); id-- > 0;) {
    if (!needed[id]) continue;
    for (const Value input : graph.nodes[id].inputs) needed[input.node] = true;
  }
  Vector<NodeId> result;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (needed[id] && graph[id].op != Op::input) result.push_back(id);
  }
  return result;
}

SINTER_INLINE std::size_t operation_count(const Graph& graph) {
  std::size_t result = 0;
  for (const NodeId id : operations_of(graph)) result += graph[id].op != Op::constant ? 1 : 0;
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
