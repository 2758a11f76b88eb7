#pragma once

#include <mutex>  // std::lock_guard, std::unique_lock

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/core/extract.hpp>
#include <sinter/trace/subgraph/called_value.hpp>

namespace sinter::inline SINTER_ABI::detail {

// as_casts: the program computes detached values too, so it needs what they are computed from.
SINTER_INLINE CalledValue::CalledValue(const Tensor& value, const std::vector<Tensor>& variables)
    : value_(value), variables_(variables), key_(Detached::as_casts) {
  for (const Tensor& variable : variables) key_.add_input(variable);
  key_.add(value);
  for (Lazy* const lazy : key_.values()) note_elements(*target_of(lazy));
}

SINTER_INLINE void CalledValue::note_elements(const Lazy& lazy) {
  if (!lazy.evaluated() && lazy.node.op == Op::input) is_complete_ = false;
  for (const Storage& elements : lazy.elements) {
    if (!elements.device().is_cpu()) is_complete_ = false;
    known_.push_back(&elements);
  }
}

SINTER_INLINE Graph CalledValue::graph(const Vector<bool>& lifted) const {
  Graph graph;
  Extractor extractor(graph, nullptr, Detached::as_casts);
  Vector<const Lazy*> numbers;
  for (std::size_t i = 0; i < lifted.size(); ++i) {
    if (lifted[i]) numbers.push_back(key_.numbers()[i]);
  }
  extractor.lift({numbers.begin(), numbers.end()});
  Vector<Value> variables;
  for (const Tensor& variable : variables_) variables.push_back(extractor.add_input(variable));
  graph.outputs = {extractor.add(value_)};
  graph.outputs.insert(graph.outputs.end(), variables.begin(), variables.end());
  for (Lazy* const lazy : key_.values()) {
    const Value first = extractor.values().at(lazy);
    const auto count = static_cast<std::uint32_t>(target_of(lazy)->elements.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      graph.outputs.push_back({first.node, first.result + i});
    }
  }
  for (const Lazy* const number : numbers) {
    const auto input = find_if(
        extractor.inputs(), [number](const Tensor& other) { return other.lazy().get() == number; });
    const auto place = static_cast<std::size_t>(input - extractor.inputs().begin());
    graph.outputs.push_back(graph.inputs[place]);
  }
  return graph;
}

// True inside of exactly one gradient, outside of recordings, after a compiled function was called.
SINTER_INLINE bool is_outermost_of_calls() {
  if (active_differentiations() != 1 || is_recording() || current_body != 0) return false;
  return any_of(*values_with_operands,
                [](const LazyRef& value) { return callee_of(value->node) != nullptr; });
}

SINTER_INLINE void give_elements(const Tensor& value, Storage elements) {
  Lazy* const lazy = target_of(value.lazy().get());
  const std::lock_guard lock(evaluation_mutex());
  if (lazy->evaluated() || lazy->node.results.size() != 1) return;
  lazy->set_device(elements.device());
  lazy->elements.push_back(std::move(elements));
  values_with_operands->push_back(reference_to(*lazy));
}

SINTER_INLINE std::vector<Tensor> gradients_of_calls(const Tensor& value,
                                                     const std::vector<Tensor>& variables) {
  if (variables.empty() || !is_outermost_of_calls()) return {};
  std::unique_lock lock(evaluation_mutex());
  const CalledValue called(value, variables);
  if (!called.is_complete()) return {};
  Vector<Storage> results =
      current_evaluator()->value_and_gradients(called, [&] { lock.unlock(); });
  if (results.empty()) return {};
  give_elements(value, std::move(results[0]));
  std::vector<Tensor> gradients;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    gradients.emplace_back(make_evaluated(variables[i].type(), std::move(results[i + 1])));
  }
  return gradients;
}

}  // namespace sinter::inline SINTER_ABI::detail
