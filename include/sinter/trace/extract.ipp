#pragma once

#include <sinter/trace/extract.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE Extractor::Extractor(Graph& graph, const Recorder* recorder, Detached detached)
    : builder_(graph), recorder_(recorder), detached_(detached) {}

SINTER_INLINE Lazy* Extractor::target(Lazy* lazy) const {
  const bool stops = detached_ == Detached::as_inputs;
  while (lazy->stands_for && !(stops && lazy->is_detached)) lazy = lazy->stands_for.get();
  return lazy;
}

SINTER_INLINE TensorType Extractor::resolve(const TensorType& type) const {
  return recorder_ == nullptr ? type : TensorType{type.dtype, recorder_->resolve(type.shape)};
}

SINTER_INLINE Value Extractor::add_input(const Tensor& value) {
  Lazy* const lazy = target(value.lazy().get());
  if (const auto known = values_.find(lazy); known != values_.end()) return known->second;
  const Value result = builder_.input(resolve(lazy->node.results[value.result()]));
  values_.emplace(lazy, result);
  inputs_.push_back(value);
  return result;
}

SINTER_INLINE Value Extractor::add(const Tensor& value) {
  Lazy* const lazy = target(value.lazy().get());
  visit(lazy);
  return {values_.at(lazy).node, value.result()};
}

// Operands first, without recursion: chains may be long.
SINTER_INLINE void Extractor::visit(Lazy* root) {
  std::vector<std::pair<Lazy*, std::size_t>> path{{root, 0}};
  while (!path.empty()) {
    auto& [lazy, next] = path.back();
    // What was evaluated while a gradient was being found is still differentiated.
    const bool has_elements =
        lazy->evaluated() && (detached_ == Detached::as_values || lazy->operands.empty());
    const bool is_leaf = has_elements || lazy->node.op == Op::input;
    if (values_.count(lazy) != 0) {
      path.pop_back();
    } else if (is_leaf) {
      add_input(Tensor([&] {
        lazy->references.fetch_add(1, std::memory_order_relaxed);
        return LazyRef(lazy);
      }()));
      path.pop_back();
    } else if (next < lazy->operands.size()) {
      Lazy* const operand = target(lazy->operands[next++].lazy.get());
      if (values_.count(operand) == 0) path.emplace_back(operand, 0);
    } else {
      append(*lazy);
      path.pop_back();
    }
  }
}

SINTER_INLINE void Extractor::append(Lazy& lazy) {
  Node node = lazy.node;
  for (const LazyValue& operand : lazy.operands) {
    node.inputs.push_back({values_.at(target(operand.lazy.get())).node, operand.result});
  }
  for (TensorType& type : node.results) type = resolve(type);
  for (Attribute& attribute : node.attributes) {
    auto* const shape = std::get_if<Shape>(&attribute.value);
    if (shape != nullptr && recorder_ != nullptr) *shape = recorder_->resolve(*shape);
  }
  values_.emplace(&lazy, builder_.append(std::move(node)));
}

}  // namespace sinter::inline SINTER_ABI
