#pragma once

#include <mutex>  // std::lock_guard

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/base/text.hpp>
#include <sinter/device/host/copy.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/jit/interface/custom_backend.hpp>
#include <sinter/jit/interface/nearest.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/trace/core/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// Backends by name. Entries are replaced, never removed, so names live as long as the process.
struct CustomBackends {
  ProcessMutex mutex;
  SortedMap<std::string, SharedPtr<const CustomBackend>> by_name;
};

SINTER_INLINE CustomBackends& custom_backends() {
  static auto& all = *new CustomBackends;
  return all;
}

// The sizes of the symbols of the graph that a backend's function computes on this thread.
SINTER_INLINE const std::vector<std::int64_t>*& current_symbols() {
  static thread_local const std::vector<std::int64_t>* sizes = nullptr;
  return sizes;
}

inline GraphNode node_view(const Node& node) {
  GraphNode result;
  result.op = std::string(info(node.op).name);
  result.function = called_function(node).name;
  result.where = node.where;
  if (node.path != nullptr) result.module = *node.path;
  for (const Value input : node.inputs) result.operands.push_back({input.node, input.result});
  for (const TensorType& type : node.results) result.results.push_back({type.dtype, type.shape});
  for (const Attribute& attribute : node.attributes) {
    const std::string printed = sinter::detail::print(attribute);  // " axes=[0, 1]"
    result.attributes.emplace_back(attribute.name, printed.substr(attribute.name.size() + 2));
  }
  for (const Graph& body : node.bodies) result.bodies.emplace_back(make_shared_ptr<Graph>(body));
  return result;
}

inline void require_name(std::string_view name, Where where) {
  const bool is_taken = name == "eager" || name == "aot_eager" || name == "fused";
  if (!name.empty() && !is_taken && name.find_first_of(",= ") == name.npos) return;
  throw ValueError({.op = "register_backend",
                    .what = is_taken ? "the name is that of a Backend" : "this is no name",
                    .facts = {{"name", name}},
                    .rule = "a name has letters, and no comma, space or equals sign",
                    .fix = "choose another name",
                    .where = where});
}

}  // namespace detail

SINTER_INLINE SharedPtr<const CustomBackend> find_custom_backend(std::string_view name) {
  detail::CustomBackends& all = detail::custom_backends();
  const std::lock_guard lock(all.mutex);
  const auto known = all.by_name.find(std::string(name));
  return known == all.by_name.end() ? nullptr : known->second;
}

SINTER_INLINE SharedPtr<const CustomBackend> require_custom_backend(std::string_view name,
                                                                    Where where) {
  if (auto known = find_custom_backend(name)) return known;
  std::string list;
  Vector<std::string_view> names;
  detail::CustomBackends& all = detail::custom_backends();
  const std::lock_guard lock(all.mutex);
  for (const auto& [known, backend] : all.by_name) {
    names.push_back(known);
    list += text(list.empty() ? "" : ", ", known);
  }
  const std::string_view nearest = nearest_name(name, names);
  throw ValueError({.op = "compile",
                    .what = "there is no backend of this name",
                    .facts = {{"custom_backend", name}},
                    .rule = list.empty() ? "no backend is registered"
                                         : text("the registered backends are ", list),
                    .fix = nearest.empty() ? "call register_backend before compile"
                                           : text("did you mean ", nearest, "?"),
                    .where = where});
}

SINTER_INLINE SymbolScope::SymbolScope(const std::vector<std::int64_t>& sizes)
    : outer_(detail::current_symbols()) {
  detail::current_symbols() = &sizes;
}

SINTER_INLINE SymbolScope::~SymbolScope() { detail::current_symbols() = outer_; }

}  // namespace sinter::inline SINTER_ABI::detail::jit

namespace sinter::inline SINTER_ABI {

SINTER_INLINE GraphView::GraphView(detail::SharedPtr<const detail::Graph> graph)
    : graph_(std::move(graph)) {
  for (const detail::Node& node : graph_->nodes) {
    nodes.push_back(detail::jit::detail::node_view(node));
  }
  for (const detail::NodeId input : graph_->inputs) inputs.push_back(input);
  for (const detail::Value output : graph_->outputs) {
    outputs.push_back({output.node, output.result});
  }
}

SINTER_INLINE std::string GraphView::text() const { return to_string(*graph_); }

SINTER_INLINE std::vector<Tensor> GraphView::interpret(std::span<const Tensor> values) const {
  detail::Vector<detail::Storage> memory;
  for (const Tensor& value : values) {
    const detail::Storage& elements = detail::elements_of(value);
    memory.push_back(elements.device().is_cpu() ? elements : detail::copied_to(elements, cpu()));
  }
  const std::vector<std::int64_t>* const symbols = detail::jit::detail::current_symbols();
  const std::vector<std::int64_t> none;
  const std::vector<std::int64_t>& sizes = symbols == nullptr ? none : *symbols;
  const auto results = detail::runtime::interpret(*graph_, memory, sizes);
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const detail::TensorType& type = graph_->type(graph_->outputs[i]);
    Shape shape;
    for (const Extent& size : type.shape) shape.push_back(detail::evaluate(size, sizes));
    tensors.emplace_back(detail::make_evaluated({type.dtype, shape}, results[i]));
  }
  return tensors;
}

SINTER_INLINE std::string_view register_backend(std::string_view name, GraphCompiler compiler,
                                                Where where) {
  using namespace detail;
  jit::detail::require_name(name, where);
  auto made = make_shared_ptr<const jit::CustomBackend>(std::string(name), std::move(compiler));
  jit::detail::CustomBackends& names = jit::detail::custom_backends();
  const std::lock_guard lock(names.mutex);
  const auto known = names.by_name.try_emplace(std::string(name), made).first;
  known->second = std::move(made);
  return known->first;
}

}  // namespace sinter::inline SINTER_ABI
