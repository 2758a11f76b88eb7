#pragma once

#include <cmath>        // std::isnan, std::isinf
#include <string_view>  // std::string_view
#include <type_traits>  // std::is_same_v

#include <sinter/base/container/algorithm.hpp>
#include <sinter/debug/fault/graph_source.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/symbol/extent/expression.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

SINTER_INLINE std::string list_text(const std::vector<std::string>& list) {
  std::string result = "{";
  for (const std::string& one : list) result += (result.size() > 1 ? ", " : "") + one;
  return result + "}";
}

SINTER_INLINE std::string extents_text(const Shape& shape) {
  std::vector<std::string> list;
  for (const Extent& extent : shape) {
    list.push_back(symbolic_text(extent));
    if (list.back().find("//") == std::string::npos) continue;
    throw ValueError({.op = "minify",
                      .what = "the program fails with symbolic sizes only, one of which is a "
                              "quotient",
                      .facts = {{"size", list.back()}},
                      .rule = "sizes are written as sums and products",
                      .fix = "report the graph of bisect(), with the files of SINTER_DUMP=dir"});
  }
  return list_text(list);
}

SINTER_INLINE std::string type_text(const TensorType& type) {
  const std::string dtype = type.dtype == boolean ? "boolean" : std::string(to_string(type.dtype));
  return text("{", dtype, ", ", extents_text(type.shape), "}");
}

SINTER_INLINE std::string numbers_text(const std::vector<std::int64_t>& list) {
  std::vector<std::string> result;
  for (const std::int64_t number : list) result.push_back(text(number));
  return list_text(result);
}

SINTER_INLINE std::string double_text(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  std::string result = text(value);
  if (result.find_first_of(".e") == std::string::npos) result += ".0";
  return result;
}

SINTER_INLINE std::string dtype_text(DType dtype) {
  return dtype == boolean ? "boolean" : std::string(to_string(dtype));
}

SINTER_INLINE std::string constant_text(const Constant& number) {
  if (is_floating(number.dtype)) {
    return text("constant(", double_text(number.floating()), ", ", dtype_text(number.dtype), ")");
  }
  return text("constant(std::int64_t{", number.integer(), "}, ", dtype_text(number.dtype), ")");
}

SINTER_INLINE std::string attribute_text(const Attribute& attribute) {
  std::string value;
  attribute.value.visit([&]<class T>(const T& any) {
    if constexpr (std::is_same_v<T, Constant>) {
      value = constant_text(any);
    } else if constexpr (std::is_same_v<T, Shape>) {
      value = "Shape" + extents_text(any);
    } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
      value = "AxisList" + numbers_text(any);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = text("std::string(\"", any, "\")");
    }
  });
  return text("{\"", attribute.name, "\", ", value, "}");
}

// Prints the nodes of a graph as calls of a Builder.
class GraphPrinter {
 public:
  GraphPrinter(const Graph& graph, std::string name) : graph_(graph), name_(std::move(name)) {}

  std::string print() {
    std::string body;
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) body += line(id);
    std::vector<std::string> outputs;
    for (const Value output : graph_.outputs) outputs.push_back(value(output));
    return text(bodies_, "Graph ", name_, "() {\n  Graph result;\n  Builder build(result);\n", body,
                "  result.outputs = ", list_text(outputs), ";\n  return result;\n}\n\n");
  }

 private:
  std::string value(Value of) const {
    if (graph_[of.node].op == Op::input) return text("x", of.node);
    const bool has_one = graph_[of.node].results.size() == 1;
    return has_one ? text("v", of.node) : text("Value(v", of.node, ", ", of.result, ")");
  }
  std::string inputs(const Node& node) const {
    std::vector<std::string> list;
    for (const Value input : node.inputs) list.push_back(value(input));
    return list_text(list);
  }
  std::string input(const Node& node, std::size_t i) const { return value(node.inputs[i]); }

  std::string line(NodeId id) {
    const Node& node = graph_[id];
    if (node.op == Op::input) {
      return text("  const Value x", id, " = build.input(", type_text(node.results[0]), ");\n");
    }
    const char* const type = node.results.size() == 1 ? "Value" : "NodeId";
    std::string result = text("  const ", type, " v", id, " = ", call(node, id), ";");
    if (node.where.line() != 0) result += text("  // ", origin(node));
    return result + "\n";
  }

  std::string call(const Node& node, NodeId id) {
    const std::string known = has_only_its_own(node) ? builder_call(node) : "";
    return known.empty() ? general_call(node, id) : text("build.", known);
  }

  // True unless the node has attributes that calls of a Builder do not give.
  static bool has_only_its_own(const Node& node) {
    return !(is_elementwise(node.op) && !node.attributes.empty());
  }

  std::string builder_call(const Node& node) const {
    if (is_movement(node.op)) return movement_call(node);
    const TensorType& type = node.results[0];
    switch (node.op) {
      case Op::constant:
        return text("constant(", constant_text(attribute_of<Constant>(node, "value")), ", ",
                    type_text(type), ")");
      case Op::iota:
        return text("iota(", type_text(type), ", ", number(node, "axis"), ")");
      case Op::cast:
        return text("cast(", input(node, 0), ", ", dtype_text(type.dtype), ")");
      case Op::cumsum:
      case Op::cumprod:
        return text("cumulate(Op::", node.op, ", ", input(node, 0), ", ", number(node, "axis"),
                    ")");
      case Op::gather:
        return text("gather(", input(node, 0), ", ", input(node, 1), ", ", number(node, "axis"),
                    ")");
      case Op::scatter_add:
        return text("scatter_add(", input(node, 0), ", ", input(node, 1), ", ", input(node, 2),
                    ", ", number(node, "axis"), ")");
      default:
        break;
    }
    if (is_elementwise(node.op)) {
      return text("elementwise(Op::", node.op, ", ", inputs(node), ")");
    }
    if (is_reduction(node.op) && node.attributes.size() == 1) {
      return text("reduce(Op::", node.op, ", ", input(node, 0), ", ",
                  numbers_text(numbers(node, "axes")), ")");
    }
    return {};
  }

  std::string movement_call(const Node& node) const {
    const auto axes = [&](const char* name) { return numbers_text(numbers(node, name)); };
    const auto shape = [&](const char* name) {
      return "Shape" + extents_text(attribute_of<Shape>(node, name));
    };
    const std::string of_result = "Shape" + extents_text(node.results[0].shape);
    const std::string begin = text(node.op, "(", input(node, 0), ", ");
    if (node.op == Op::reshape || node.op == Op::expand) return text(begin, of_result, ")");
    if (node.op == Op::permute || node.op == Op::flip) return text(begin, axes("axes"), ")");
    if (node.op == Op::slice) {
      return text(begin, shape("start"), ", ", axes("step"), ", ", of_result, ")");
    }
    if (node.op != Op::pad) return {};
    return text(begin, shape("low"), ", ", shape("high"), ", ",
                constant_text(attribute_of<Constant>(node, "value")), ")");
  }

  // With all attributes and bodies.
  std::string general_call(const Node& node, NodeId id) {
    if (callee_of(node) != nullptr) {
      throw ValueError({.op = "minify",
                        .what = "the failing program calls another compiled function",
                        .rule = "the program is one graph",
                        .fix = "minify that function, or call it without compile()",
                        .where = node.where});
    }
    std::vector<std::string> attributes, types, bodies;
    for (const Attribute& attribute : node.attributes) {
      attributes.push_back(attribute_text(attribute));
    }
    for (const TensorType& type : node.results) types.push_back(type_text(type));
    for (std::size_t i = 0; i < node.bodies.size(); ++i) {
      const std::string name = text(name_, "_", id, "_", i);
      bodies_ += graph_function(node.bodies[i], name);
      bodies.push_back(name + "()");
    }
    return text("build.append({.op = Op::", node.op, ",\n      .inputs = ", inputs(node),
                ",\n      .attributes = ", list_text(attributes),
                ",\n      .results = ", list_text(types), ",\n      .bodies = ", list_text(bodies),
                "})");
  }

  template <class T>
  static const T& attribute_of(const Node& node, std::string_view name) {
    return sinter::detail::attribute<T>(node, name);
  }

  const Graph& graph_;
  std::string name_;
  std::string bodies_{};
};

SINTER_INLINE std::string element_text(DType dtype, const void* data, std::size_t i) {
  return visit_dtype(dtype, [&]<class T>(T) {
    const T value = static_cast<const T*>(data)[i];
    if constexpr (std::is_same_v<T, bool>) {
      return std::string(value ? "1" : "0");
    } else if constexpr (std::is_integral_v<T>) {
      return text(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_same_v<T, double>) {
      return double_text(value);
    } else {
      const auto single = static_cast<float>(value);
      return std::isfinite(single) ? text(single) : double_text(single);
    }
  });
}

// "  replay.input({1, 2, 3});", or with one number if all elements are equal.
SINTER_INLINE std::string input_text(DType dtype, const Storage& elements) {
  const std::size_t count = elements.bytes() / info(dtype).size;
  std::vector<std::string> list;
  bool is_uniform = count > 1;
  for (std::size_t i = 0; i < count; ++i) {
    list.push_back(element_text(dtype, elements.data(), i));
    is_uniform = is_uniform && list[i] == list[0];
  }
  const char* const name = is_floating(dtype) ? "floats" : "integers";
  if (is_uniform) return text("  replay.", name, "_like(", list[0], ");\n");
  std::string result = text("  replay.", name, "({");
  std::size_t column = result.size();
  for (const std::string& number : list) {
    const bool is_first = &number == &list[0];
    if (!is_first && column + number.size() > 94)
      result += ",\n      ", column = 6;
    else if (!is_first)
      result += ", ", column += 2;
    result += number, column += number.size();
  }
  return result + "});\n";
}

SINTER_INLINE std::string options_text(const Problem& problem) {
  std::string result;
  if (problem.options.numerics == Numerics::strict) {
    result += "  replay.options.numerics = Numerics::strict;\n";
  }
  if (problem.options.device.is_cuda()) {
    result += text("  replay.options.device = cuda(", problem.options.device.index(), ");\n");
  }
  std::vector<std::string> updates;
  for (const schedule::Update& update : problem.options.updates) {
    updates.push_back(text("{", update.input, ", ", update.output, "}"));
  }
  if (!updates.empty()) {
    result += text("  replay.options.updates = ", list_text(updates), ";  // input, output\n");
  }
  if (!problem.symbols.empty()) {
    result += text("  replay.symbols = ", numbers_text(problem.symbols), ";\n");
  }
  return result;
}

// "// about\n" for each line of `about`.
SINTER_INLINE std::string as_comment(const std::string& about) {
  std::string result = "// ";
  for (const char c : about) {
    result += c;
    if (c == '\n') result += "// ";
  }
  return result + "\n";
}

SINTER_INLINE std::string symbol_lines(const Problem& problem) {
  std::string result;
  for (std::size_t i = 0; i < problem.symbols.size(); ++i) {
    result += text("const Extent ", symbolic_text(Extent::symbol(static_cast<std::uint32_t>(i))),
                   " = Extent::symbol(", i, ");\n");
  }
  return result.empty() ? result : result + "\n";
}

}  // namespace detail

SINTER_INLINE std::string graph_function(const Graph& graph, const std::string& name) {
  return detail::GraphPrinter(graph, name).print();
}

SINTER_INLINE std::string program_text(const Problem& problem, FailureKind fault,
                                       const std::string& about) {
  constexpr const char* faults[] = {"none",       "passes",        "kernels",
                                    "in_place",   "gradient_rule", "batching_rule",
                                    "non_finite", "error",         "crash"};
  std::string result = detail::as_comment(about);
  result +=
      "\n#include <cmath>  // NAN, INFINITY\n\n#include <sinter/sinter.hpp>\n"
      "#include <sinter/debug/fault/replay.hpp>\n\n"
      "using namespace sinter;\nusing namespace sinter::detail;\n\n";
  result += detail::symbol_lines(problem);
  result += graph_function(problem.graph, "program");
  result += text("int main() {\n  debug::Replay replay(program(), debug::FailureKind::",
                 faults[static_cast<std::size_t>(fault)], ");\n");
  result += detail::options_text(problem);
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const DType dtype = problem.graph.type(problem.graph.inputs[i]).dtype;
    result += detail::input_text(dtype, problem.inputs[i]);
  }
  return result + "  return replay.run();\n}\n";
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
