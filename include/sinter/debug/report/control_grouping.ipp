#pragma once

#include <utility>  // std::move

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/text.hpp>
#include <sinter/debug/report/control_grouping.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/schedule/control/planner.hpp>
#include <sinter/schedule/control/section.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/trace/core/recorder_scope.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

// A line of the fusion log, with `first` added to each number of a kernel.
SINTER_INLINE std::string renumbered(const std::string& line, std::int32_t first) {
  const std::string_view word = "kernel ";
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, from)) {
    std::size_t end = at + word.size();
    std::int32_t number = 0;
    for (; end < line.size() && line[end] >= '0' && line[end] <= '9'; ++end) {
      number = 10 * number + (line[end] - '0');
    }
    result += line.substr(from, at + word.size() - from);
    if (end != at + word.size()) result += std::to_string(first + number);
    from = end;
  }
  return result + line.substr(from);
}

// A plan of `section` without kernels.
SINTER_INLINE schedule::Plan plan_without_kernels(const Graph& section) {
  schedule::Plan result;
  const auto add = [&](const TensorType& type, schedule::Home home, std::size_t position) {
    result.buffers.push_back(
        {type.dtype, numel(type.shape), home, static_cast<std::int32_t>(position)});
    return static_cast<std::int32_t>(result.buffers.size()) - 1;
  };
  for (std::size_t i = 0; i < section.inputs.size(); ++i) {
    result.inputs.push_back(add(section.type(section.inputs[i]), schedule::Home::input, i));
  }
  for (std::size_t i = 0; i < section.outputs.size(); ++i) {
    result.outputs.push_back(add(section.type(section.outputs[i]), schedule::Home::output, i));
  }
  return result;
}

// The sections in the order in which the schedule plans them.
SINTER_INLINE Vector<schedule::Grouping> groupings_of_sections(const Graph& graph,
                                                               const schedule::Options& options) {
  Vector<schedule::Grouping> result;
  schedule::plan_control(graph, options, [&](const Graph& section, const schedule::Options& own) {
    result.push_back(schedule::grouping(section, own));
    return plan_without_kernels(section);
  });
  return result;
}

class ControlPicture {
 public:
  explicit ControlPicture(Vector<schedule::Grouping> sections) : sections_(std::move(sections)) {}

  schedule::Grouping draw(const Graph& graph) {
    Vector<Value> inputs;
    for (const NodeId input : graph.inputs) {
      inputs.push_back({add(graph[input], {}), 0});
      result_.graph.inputs.push_back(inputs.back().node);
    }
    result_.graph.outputs = add_graph(graph, inputs, "");
    return std::move(result_);
  }

 private:
  using Values = SortedMap<schedule::detail::ValueKey, Value>;

  // What the outputs of `graph` are in the picture; `module` has its nodes.
  Vector<Value> add_graph(const Graph& graph, const Vector<Value>& inputs,
                          const std::string& module) {
    Values values;
    for (std::size_t i = 0; i < inputs.size(); ++i) values[{graph.inputs[i], 0}] = inputs[i];
    for (const schedule::Section& section : schedule::sections(graph)) {
      if (!section.outputs.empty()) add_section(section, values, module);
      for (const NodeId id : section.controls) add_control(graph, id, values, module);
    }
    Vector<Value> outputs;
    for (const Value output : graph.outputs) outputs.push_back(values.at(key(output)));
    return outputs;
  }

  void add_section(const schedule::Section& section, Values& values, const std::string& module) {
    const schedule::Grouping& part = sections_[next_++];
    const auto first = static_cast<std::int32_t>(result_.log.size());
    Vector<Value> moved(part.graph.nodes.size());
    for (std::size_t i = 0; i < section.inputs.size(); ++i) {
      moved[part.graph.inputs[i]] = values.at(key(section.inputs[i]));
    }
    const auto value = [&](Value old) {
      return Value(moved[old.node].node, moved[old.node].result + old.result);
    };
    for (NodeId id = 0; id < part.graph.nodes.size(); ++id) {
      if (part.graph[id].op == Op::input) continue;
      Node node = part.graph[id];
      for (Value& input : node.inputs) input = value(input);
      Vector<std::int32_t> kernels;
      for (const std::int32_t kernel : part.kernels[id]) kernels.push_back(first + kernel);
      moved[id] = {add(place(std::move(node), module), std::move(kernels)), 0};
    }
    for (const auto& lines : part.log) {
      auto& own = result_.log.emplace_back();
      for (const std::string& line : lines) own.push_back(renumbered(line, first));
    }
    for (std::size_t i = 0; i < section.outputs.size(); ++i) {
      values[key(section.outputs[i])] = value(part.graph.outputs[i]);
    }
  }

  void add_control(const Graph& graph, NodeId id, Values& values, const std::string& module) {
    Node node = graph[id];
    Vector<Value> operands;
    for (Value& input : node.inputs) operands.push_back(input = values.at(key(input)));
    if (node.op == Op::cond) operands.erase(operands.begin());
    const char* const names[]{node.op == Op::cond   ? "then"
                              : node.op == Op::scan ? "step"
                                                    : "condition",
                              node.op == Op::cond ? "otherwise" : "step"};
    for (std::size_t i = 0; node.op != Op::custom && i < node.bodies.size(); ++i) {
      const std::string own = text(module, ".", info(node.op).name, " %", id, ".", names[i]);
      for (const Value given : add_graph(node.bodies[i], operands, own)) {
        node.inputs.push_back(given);
      }
    }
    Vector<std::int32_t> kernels;
    if (node.op == Op::custom && attribute<std::string>(node, "kernel") != "call") {
      kernels = {static_cast<std::int32_t>(result_.log.size())};
      result_.log.push_back({text("kernel ", kernels[0], ": ", origin(node))});
    }
    const NodeId drawn = add(place(std::move(node), module), std::move(kernels));
    const auto count = static_cast<std::uint32_t>(graph[id].results.size());
    for (std::uint32_t i = 0; i < count; ++i) values[{id, i}] = {drawn, i};
  }

  static Node place(Node node, const std::string& module) {
    if (module.empty()) return node;
    const std::string path = node.path == nullptr ? "" : *node.path;
    node.path = intern(path.empty() ? module.substr(1) : path + module);
    return node;
  }

  NodeId add(Node node, Vector<std::int32_t> kernels) {
    result_.graph.nodes.push_back(std::move(node));
    result_.kernels.push_back(std::move(kernels));
    return static_cast<NodeId>(result_.graph.nodes.size()) - 1;
  }

  static schedule::detail::ValueKey key(Value value) { return schedule::detail::key_of(value); }

  Vector<schedule::Grouping> sections_;
  std::size_t next_ = 0;
  schedule::Grouping result_{};
};

}  // namespace detail

SINTER_INLINE schedule::Grouping control_grouping(const Graph& graph,
                                                  const schedule::Options& options) {
  return detail::ControlPicture(detail::groupings_of_sections(graph, options)).draw(graph);
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
