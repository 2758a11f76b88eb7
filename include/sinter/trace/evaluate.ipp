#pragma once

#include <mutex>          // std::recursive_mutex
#include <unordered_map>  // std::unordered_map

#include <sinter/trace/evaluate.hpp>
#include <sinter/trace/extract.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

[[noreturn]] SINTER_INLINE void throw_force(const Tensor& x, Where where) {
  const bool recording = is_recording();
  throw GraphBreakError(
      {.op = "read",
       .what = recording ? "elements are read on the host while a function is recorded"
                         : "the tensor belongs to a recording that is over",
       .facts = {{"x", to_string(x)}, {"made", to_string(x.lazy()->node.where)}},
       .rule = recording ? "a recorded function has no elements yet; this version does not break "
                           "graphs"
                         : "values of a recording leave it as results of the function",
       .fix = recording ? "use where(condition, x, y), or cond, in place of if; read results after "
                          "the call; or run the function without compile"
                        : "return the tensor from the function",
       .where = where,
       .see = "graph-breaks"});
}

// How often the values of a graph are referred to from within it.
SINTER_INLINE std::unordered_map<const Lazy*, std::uint32_t> inner_references(
    const Extractor& extractor) {
  std::unordered_map<const Lazy*, std::uint32_t> result;
  for (const auto& [lazy, value] : extractor.values()) {
    if (lazy->evaluated()) continue;
    for (const LazyValue& operand : lazy->operands) ++result[operand.lazy.get()];
  }
  return result;
}

// The values that somebody outside of the graph holds: they are kept, so that they are computed
// once.
SINTER_INLINE std::vector<Lazy*> held_values(const Extractor& extractor) {
  const auto inner = inner_references(extractor);
  std::vector<Lazy*> result;
  for (const auto& [lazy, value] : extractor.values()) {
    const auto count = inner.find(lazy);
    const std::uint32_t expected = count == inner.end() ? 0 : count->second;
    if (!lazy->evaluated() && lazy->references.load(std::memory_order_acquire) > expected) {
      result.push_back(lazy);
    }
  }
  return result;
}

SINTER_INLINE void evaluate_graph_of(const Tensor& x, Where where) {
  Graph graph;
  Extractor extractor(graph);
  extractor.add(x);
  std::vector<Storage> inputs;
  for (const Tensor& input : extractor.inputs()) {
    const Lazy* const lazy = target_of(input.lazy().get());
    if (!lazy->evaluated()) throw_force(input, where);
    inputs.push_back(lazy->elements[0]);
  }
  const std::vector<Lazy*> held = held_values(extractor);
  for (Lazy* const lazy : held) graph.outputs.push_back(extractor.values().at(lazy));
  std::vector<Storage> results = current_evaluator()->evaluate(graph, inputs);
  std::vector<LazyValue> released;  // destroyed last, when nothing here looks at them any more
  for (std::size_t i = 0; i < held.size(); ++i) {
    held[i]->elements.push_back(std::move(results[i]));
    if (active_differentiations() != 0) continue;
    for (LazyValue& operand : held[i]->operands) released.push_back(std::move(operand));
    held[i]->operands.clear();
  }
}

SINTER_INLINE std::recursive_mutex& evaluation_mutex() {
  static auto& mutex = *new std::recursive_mutex;
  return mutex;
}

}  // namespace detail

SINTER_INLINE Evaluator*& current_evaluator() {
  static Evaluator* evaluator = nullptr;
  return evaluator;
}

SINTER_INLINE int& active_differentiations() {
  static thread_local int count = 0;
  return count;
}

SINTER_INLINE void evaluate(const Tensor& x, Where where) {
  x.type(where);  // throws for no tensor at all
  const std::lock_guard lock(detail::evaluation_mutex());
  Lazy* const lazy = target_of(x.lazy().get());
  if (lazy->evaluated()) return;
  if (lazy->recording != 0) detail::throw_force(x, where);
  RecorderScope outside(nullptr);
  detail::evaluate_graph_of(x, where);
}

SINTER_INLINE const Storage& elements_of(const Tensor& x, Where where) {
  evaluate(x, where);
  return target_of(x.lazy().get())->elements[0];
}

}  // namespace sinter::inline SINTER_ABI
