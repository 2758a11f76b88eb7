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

}  // namespace detail

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

}  // namespace sinter::inline SINTER_ABI
