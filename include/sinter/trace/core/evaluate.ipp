#pragma once

#include <mutex>          // std::lock_guard
#include <utility>        // std::exchange

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/device/host/copy.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/core/extract.hpp>
#include <sinter/trace/core/record.hpp>

namespace sinter::inline SINTER_ABI::detail {

inline constexpr std::string_view way_around_a_read =
    "use where(condition, x, y), or cond, in place of if; read results after the call; or wrap "
    "what the host does with host(f)";

[[noreturn]] SINTER_INLINE void throw_force(const Tensor& x, Where where) {
  const bool recording = is_recording() || current_body != 0;
  throw GraphBreakError(
      {.op = "read",
       .what = recording ? "elements are read on the host while a function is recorded"
                         : "the tensor belongs to a recording that is over",
       .facts = {{"x", to_string(x)}, {"made", sinter::to_string(x.lazy()->node.where)}},
       .rule = recording ? "there are no elements while a branch, a loop or a batch is recorded"
                         : "values of a recording leave it as results of the function",
       .fix = recording
                  ? std::string(way_around_a_read)
                  : "return the tensor from the function; what a function of cond, map, scan, "
                    "while_loop or vmap assigns is to be among its results",
       .where = where,
       .see = "graph-breaks"});
}

// The number of references to each value from within the graph.
SINTER_INLINE HashMap<const Lazy*, std::uint32_t> inner_references(const Extractor& extractor) {
  HashMap<const Lazy*, std::uint32_t> result;
  for (const auto& [lazy, value] : extractor.values()) {
    if (lazy->evaluated()) continue;
    for (const LazyValue& operand : lazy->operands) ++result[operand.lazy.get()];
  }
  return result;
}

// Values with references from outside of the graph: their elements are kept, so that they are
// computed only once.
SINTER_INLINE Vector<Lazy*> held_values(const Extractor& extractor) {
  const auto inner = inner_references(extractor);
  Vector<Lazy*> result;
  for (const auto& [lazy, value] : extractor.values()) {
    const auto count = inner.find(lazy);
    const std::uint32_t expected = count == inner.end() ? 0 : count->second;
    if (!lazy->evaluated() && lazy->references.load(MemoryOrder::acquire) > expected) {
      result.push_back(lazy);
    }
  }
  return result;
}

// The first node of `graph` that reads `input`; there is one.
SINTER_INLINE const Node& reader_of(const Graph& graph, NodeId input) {
  const auto reads = [input](const Node& node) {
    return any_of(node.inputs, [input](Value value) { return value.node == input; });
  };
  const auto reader = find_if(graph.nodes, reads);
  return reader == graph.nodes.end() ? graph[input] : *reader;
}

// The storage of `input`, which is input `i` of `graph`, for a computation on `device`.
SINTER_INLINE const Storage& input_on(Device device, const Graph& graph, std::size_t i,
                                      const Tensor& input, Where where) {
  const Lazy* const lazy = target_of(input.lazy().get());
  if (!lazy->evaluated()) throw_force(input, where);
  const Storage& elements = lazy->elements[0];
  if (elements.device() == device || (elements.device().is_cpu() && input.ndim() == 0)) {
    return elements;
  }
  throw_different_devices(reader_of(graph, graph.inputs[i]), input.type(), elements.device(),
                          device, where);
}

SINTER_INLINE void evaluate_graph_of(const Tensor& x, Where where);

// Evaluates on the host first the scalars that are computed from host tensors or numbers: a GPU
// then reads them like any other number, and later readers find them evaluated. Returns false if
// there are none.
SINTER_INLINE bool evaluate_numbers_of_host(const Extractor& extractor, Where where) {
  std::vector<Tensor> numbers;
  for (const auto& [lazy, value] : extractor.values()) {
    const bool is_number = lazy->node.results[0].shape.empty();
    const Place::Word word = lazy->place.load(MemoryOrder::relaxed).word();
    const bool is_on_host = word == Place::Word::host || word == Place::Word::host_number;
    if (is_number && is_on_host && !lazy->evaluated()) numbers.emplace_back(reference_to(*lazy));
  }
  for (const Tensor& number : numbers) {
    if (!number.lazy()->evaluated()) evaluate_graph_of(number, where);
  }
  return !numbers.empty();
}

SINTER_INLINE void evaluate_graph_of(const Tensor& x, Where where) {
  Graph graph;
  Extractor extractor(graph);
  extractor.add(x);
  const Device device = target_of(x.lazy().get())->device();
  const bool is_mixed = device.is_cuda() && evaluate_numbers_of_host(extractor, where);
  if (is_mixed) return evaluate_graph_of(x, where);
  Vector<Storage> inputs;
  for (std::size_t i = 0; i < extractor.inputs().size(); ++i) {
    inputs.push_back(input_on(device, graph, i, extractor.inputs()[i], where));
  }
  const Vector<Lazy*> held = held_values(extractor);
  if (held.empty()) return;  // it was one of the scalars
  for (Lazy* const lazy : held) {
    const Value first = extractor.values().at(lazy);
    const auto count = static_cast<std::uint32_t>(lazy->node.results.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      graph.outputs.push_back({first.node, first.result + i});
    }
  }
  Vector<Storage> results = current_evaluator()->evaluate(graph, inputs, device);
  Vector<LazyValue> released;  // destroyed last, after the last use below
  std::size_t next = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    held[i]->set_device(device);
    for (std::size_t k = 0; k < held[i]->node.results.size(); ++k) {
      held[i]->elements.push_back(std::move(results[next++]));
    }
    if (active_differentiations() != 0) {
      values_with_operands->push_back(reference_to(*held[i]));
      continue;
    }
    for (LazyValue& operand : held[i]->operands) released.push_back(std::move(operand));
    held[i]->operands.clear();
  }
}

// Evaluates `x` if it belongs to the recording in progress; true if it has elements now. `reader`
// is the function that reads them, null if unknown.
SINTER_INLINE bool evaluate_in_recording(const Tensor& x, const char* reader, Where where) {
  Recorder& recorder = *current_recorder();
  const Lazy* const lazy = target_of(x.lazy().get());
  if (lazy->recording != recorder.id()) {
    recorder.note_outside_read(x, where);
    return false;
  }
  if (lazy->evaluated()) return true;
  if (recorder.host() == nullptr) throw_force(x, where);
  recorder.host()->interrupt(
      {&x, 1}, {.reason = text("elements are read on the host", reader == nullptr ? "" : ", by ",
                               reader == nullptr ? "" : reader),
                .where = where,
                .fix = std::string(way_around_a_read)});
  return true;
}

SINTER_INLINE RecursiveProcessMutex& mutex_of_evaluations() {
  static auto& mutex = *new RecursiveProcessMutex;
  return mutex;
}

SINTER_INLINE void EvaluationMutex::lock() { mutex_of_evaluations().lock(); }
SINTER_INLINE void EvaluationMutex::unlock() { mutex_of_evaluations().unlock(); }

SINTER_INLINE EvaluationMutex& evaluation_mutex() {
  static EvaluationMutex mutex;
  return mutex;
}

SINTER_INLINE Evaluator*& current_evaluator() {
  static Evaluator* evaluator = nullptr;
  return evaluator;
}

SINTER_INLINE int& active_differentiations() {
  static thread_local int count = 0;
  return count;
}

SINTER_INLINE bool depends_on_variable(const Tensor& x) {
  Vector<const Lazy*> pending{x.lazy().get()};
  HashSet<const Lazy*> seen;
  while (!pending.empty()) {
    const Lazy* lazy = pending.back();
    pending.pop_back();
    while (lazy->stands_for && !lazy->is_detached && !lazy->is_variable) {
      lazy = lazy->stands_for.get();
    }
    if (lazy->is_variable) return true;
    if (lazy->operands.empty() || !seen.insert(lazy).second) continue;
    for (const LazyValue& operand : lazy->operands) pending.push_back(operand.lazy.get());
  }
  return false;
}

SINTER_INLINE void release_values_with_operands() {
  const Vector<LazyRef> values = std::exchange(*values_with_operands, {});
  const std::lock_guard lock(detail::evaluation_mutex());
  for (const LazyRef& value : values) value->operands.clear();
}

SINTER_INLINE void evaluate(const Tensor& x, Where where) {
  x.type(where);  // throws if undefined
  const char* const reader = PublicCall::name();
  const OutsidePublicCalls other_code;
  if (current_body != 0) detail::throw_force(x, where);
  if (current_recording != 0 && detail::evaluate_in_recording(x, reader, where)) return;
  Lazy* const lazy = target_of(x.lazy().get());
  if (lazy->is_ready.load(MemoryOrder::acquire)) return;
  const std::lock_guard lock(detail::evaluation_mutex());
  if (!lazy->evaluated()) {
    if (lazy->recording != 0) detail::throw_force(x, where);
    RecorderScope outside(nullptr);
    detail::evaluate_graph_of(x, where);
  }
  if (lazy->recording == 0) lazy->is_ready.store(true, MemoryOrder::release);
}

SINTER_INLINE const Storage& elements_of(const Tensor& x, Where where) {
  evaluate(x, where);
  return target_of(x.lazy().get())->elements[0];
}

SINTER_INLINE const void* host_elements_of(const Tensor& x, Where where) {
  return host_bytes(elements_of(x, where), where);
}

}  // namespace sinter::inline SINTER_ABI::detail

namespace sinter::inline SINTER_ABI {

SINTER_INLINE Tensor::operator bool() const {
  const Where where = lazy_ ? lazy_->node.where : Where();  // the line that made the value
  const detail::PublicCall call("if", where);
  detail::require_one_element(*this, "if", where);
  const void* const element = detail::host_elements_of(*this, where);
  return detail::visit_dtype(dtype(), [element]<class From>(From) {
    return *static_cast<const From*>(element) != From(0);
  });
}

}  // namespace sinter::inline SINTER_ABI
