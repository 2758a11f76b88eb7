#pragma once

#include <sinter/autodiff/gradient_functions.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/interface/requires_grad.hpp>
#include <sinter/jit/record/recording.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE Vector<schedule::Update> Recording::updates() const {
  Vector<schedule::Update> result;
  if (changes_structure || !host_callbacks.empty() || !requires_grad.empty()) return result;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const schedule::Update update{changed[i], static_cast<std::int32_t>(results + i)};
    const NodeId input = graph.inputs[static_cast<std::size_t>(changed[i])];
    const TensorType &before = graph[input].results[0],
                     &after = graph.type(graph.outputs[results + i]);
    if (same(before, after)) result.push_back(update);
  }
  return result;
}

SINTER_INLINE void save_for_gradients(Recording& recording, Span<const Tensor> leaves,
                                      Span<const Tensor> placeholders) {
  const Vector<bool>* const flags = leaves_requiring_grad();
  if (flags == nullptr) return;
  Graph& graph = recording.graph;
  recording.requires_grad.assign(graph.inputs.size(), false);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (std::size_t k = 0; k < placeholders.size() && k < flags->size(); ++k) {
      if (placeholders[k].lazy() == leaves[i].lazy()) recording.requires_grad[i] = (*flags)[k];
    }
  }
  recording.has_grad =
      autodiff::gradient_functions().load()->varying_outputs(graph, recording.requires_grad);
  for (const Value value :
       autodiff::gradient_functions().load()->saved_values(graph, recording.requires_grad)) {
    graph.outputs.push_back(value);
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
