#pragma once

#include <string_view>  // std::string_view
#include <utility>      // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/jit/rewrite/custom_check.hpp>
#include <sinter/jit/rewrite/resolve_custom.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE bool has_custom(const Graph& graph) {
  return any_of(graph.nodes, [](const Node& node) {
    return node.op == Op::custom || any_of(node.bodies, has_custom);
  });
}

SINTER_INLINE void throw_no_kernel(const Node& node, bool on_gpu) {
  throw DeviceError(
      {.op = custom_code(node).name,
       .what = text("a custom operation has no kernel for ", on_gpu ? "GPUs" : "the host"),
       .facts = {},
       .rule = on_gpu ? "on a GPU .cuda computes it, else .reference, unless it has side effects, "
                        "else .call, with copies on the host"
                      : "on the host .call or .cpp computes it, else .reference, unless it has "
                        "side effects",
       .fix = on_gpu ? "give custom_op a .cuda, a .reference or a .call, or move the tensors "
                       "to the host: x.to(cpu())"
                     : "give custom_op one of them",
       .where = node.where,
       .see = "custom-operations"});
}

// Writes a custom node with a kernel: "call", "cpp" or "cuda".
class CustomResolver {
 public:
  CustomResolver(Builder& builder, const Node& node, std::string kernel)
      : builder_(builder), node_(node), kernel_(std::move(kernel)) {}

  Vector<Value> write() {
    const CustomCode& code = custom_code(node_);
    const bool is_elementwise = (kernel_ == "cpp" && code.cpp_function.is_elementwise()) ||
                                (kernel_ == "cuda" && code.cuda_function.is_elementwise());
    return is_elementwise ? elementwise() : kernel();
  }

 private:
  // Texts of 16-bit floating values compute in f32, as all elementwise operations.
  Vector<Value> elementwise() {
    Vector<Value> operands;
    const TensorType& type = node_.results[0];
    const DType dtype = computed_in(type.dtype);
    bool fuses = dtype != boolean;
    for (std::size_t i = 0; i < custom_operands(node_); ++i) {
      const Value x = node_.inputs[i];
      operands.push_back(builder_.cast(x, computed_in(builder_.dtype(x))));
      fuses = fuses && builder_.dtype(operands.back()) == dtype;
    }
    Node node = bare(std::move(operands));
    node.results = {{dtype, type.shape}};
    if (fuses) node.op = Op::custom_elementwise;
    return {builder_.cast(builder_.append(std::move(node)), type.dtype)};
  }

  Vector<Value> kernel() {
    Vector<Value> operands(
        node_.inputs.begin(),
        node_.inputs.begin() + static_cast<std::ptrdiff_t>(custom_operands(node_)));
    const NodeId id = builder_.append(bare(std::move(operands)));
    Vector<Value> results;
    for (std::uint32_t i = 0; i < node_.results.size(); ++i) results.push_back({id, i});
    return results;
  }

  Node bare(Vector<Value> operands) const {
    Node result = node_;
    result.bodies.clear();
    result.inputs.clear();
    for (const Value operand : operands) result.inputs.push_back(operand);
    result.attributes.push_back({"kernel", kernel_});
    return result;
  }

  Builder& builder_;
  const Node& node_;
  std::string kernel_;
};

}  // namespace detail

SINTER_INLINE Graph resolve_custom(Graph graph, bool on_gpu) {
  if (!detail::has_custom(graph)) return graph;
  for (Node& node : graph.nodes) {
    for (Graph& body : node.bodies) body = resolve_custom(std::move(body), on_gpu);
  }
  return rewrite_nodes(std::move(graph), [&](Builder& builder, const Node& node, NodeId) {
    if (node.op != Op::custom || has_attribute(node, "kernel")) return Vector<Value>();
    const CustomCode& code = custom_code(node);
    std::string kernel;
    if (on_gpu && !code.cuda.empty()) kernel = "cuda";
    if (!on_gpu && !code.cpp.empty()) kernel = "cpp";
    if (on_gpu ? code.on_stream != nullptr : code.call != nullptr) kernel = "call";
    const Graph* const reference = reference_of(node);
    // A reference has no side effects.
    const bool is_replaced = reference != nullptr && !code.has_side_effects;
    if (kernel.empty() && !is_replaced && code.call != nullptr) kernel = "call";
    if (kernel.empty() && !is_replaced) detail::throw_no_kernel(node, on_gpu);
    const auto inlined = [&] {
      return builder.inlined(*reference, Vector<Value>(node.inputs.begin(), node.inputs.end()));
    };
    if (kernel.empty()) return inlined();
    Vector<Value> results = detail::CustomResolver(builder, node, std::move(kernel)).write();
    const bool compares = checks_custom() && reference != nullptr;
    return compares ? compared(builder, node, results, inlined()) : results;
  });
}

namespace detail {

// The lines of a compiler's log from the first one that names `name` on, 12 at most. What
// InternalError adds to the log is left out.
SINTER_INLINE std::string excerpt_of(std::string_view log, std::string_view name) {
  log = log.substr(0, log.rfind("\n  this is a bug in sinter"));
  std::size_t begin = log.find(text(name, ":"));
  if (begin == log.npos) begin = log.find(text(name, "("));
  if (begin == log.npos) return "";
  std::size_t end = begin;
  for (int line = 0; line < 12 && end < log.size(); ++line) {
    end = std::min(log.find('\n', end + 1), log.size());
  }
  return std::string(log.substr(begin, end - begin));
}

SINTER_INLINE void throw_if_named(const CustomCode* code, const InternalError& error) {
  const std::string log = code == nullptr ? "" : excerpt_of(error.what(), code->name);
  if (log.empty()) return;
  throw ValueError({.op = code->name,
                    .what = "the text of a custom operation does not compile",
                    .facts = {{"compiler", log}},
                    .rule = "lines are counted from the begin of the text; its function gets "
                            "pointers to the elements, in their dtypes, or values",
                    .fix = "correct the text",
                    .where = code->where,
                    .see = "custom-operations"});
}

}  // namespace detail

SINTER_INLINE SharedPtr<const compiler::Module> load_or_compile(
    const schedule::Plan& plan, const compiler::TranslationUnit& unit) {
  try {
    return compiler::load_or_compile(unit);
  } catch (const InternalError& error) {
    for (const schedule::Kernel& kernel : plan.kernels) {
      detail::throw_if_named(kernel.custom.get(), error);
      for (const schedule::Instruction& one : kernel.instructions) {
        detail::throw_if_named(one.custom.get(), error);
      }
    }
    throw;
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
