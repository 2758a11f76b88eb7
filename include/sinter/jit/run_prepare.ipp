#pragma once

#include <sinter/graph/hash.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/jit/run.hpp>
#include <sinter/jit/state.hpp>
#include <sinter/runtime/background.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE std::shared_ptr<const Segment> Run::segment_for(const Positions& outputs,
                                                              std::span<const NewValue> updates) {
  const Hash key = key_of(outputs, updates);
  const auto find = [&]() -> std::shared_ptr<const Segment> {
    auto known = state_.segments().find(key, recorder().tape());
    const bool must_compile = known != nullptr && known->runnable.program->is_interpreted() &&
                              on_miss_ == OnMiss::compile && state_.demands_code();
    return must_compile ? nullptr : known;
  };
  std::shared_ptr<const Segment> segment = find();
  if (segment == nullptr) {
    const Turn turn(state_.compile_turns(), key);
    segment = find();  // of another thread
    if (segment == nullptr) segment = make_segment(key, outputs, updates);
  }
  if (verifies()) require_same_graph(*segment, outputs, updates);
  if (segment->is_interim) runtime::keep_background_running();
  report_.interpreted = report_.interpreted || state_.is_eager(*segment->runnable.program);
  return segment;
}

// SINTER_VERIFY: what the key found is the graph of this run, in the symbols of this run.
SINTER_INLINE void Run::require_same_graph(const Segment& segment, const Positions& outputs,
                                           std::span<const NewValue> updates) const {
  std::unordered_set<const Lazy*> lifted;
  for (const NumberOnTape& number : segment.numbers) {
    if (number.is_input) lifted.insert(recorder().tape().values()[number.position].get());
  }
  std::vector<Tensor> inputs;
  Segment again;
  again.graph = extract(outputs, std::move(lifted), inputs, updates);
  save_for_gradients(again, inputs);
  const Graph& graph = again.graph;
  Positions positions;
  for (const Tensor& input : inputs) positions.push_back(input.lazy()->position);
  if (positions == segment.inputs && hash_with_symbols(graph) == hash_with_symbols(segment.graph)) {
    return;
  }
  throw InternalError(text("runs of other graphs have one key\n", segment.graph, "\n", graph));
}

SINTER_INLINE void Run::refuse() const {
  const std::vector<guard::PlainValue> plain = name_source().plain();
  state_.refuse(state_.failure_of_run(real(), structure_, names(), plain));
}

SINTER_INLINE void Run::throw_no_elements(const Break& found) const {
  throw GraphBreakError({.op = "prepare",
                         .what = found.reason,
                         .rule = "what is prepared has no elements",
                         .fix = text(found.fix, "; or call the function with data"),
                         .where = found.where,
                         .see = "graph-breaks"});
}

// Without data, what the function assigns to a captured tensor could not be computed, and what the
// tensor was would be lost.
SINTER_INLINE void Run::throw_captured(const Tensor& outside) const {
  throw ValueError({.op = "prepare",
                    .what = "the function uses a tensor that is no argument",
                    .facts = {{"tensor", to_string(outside)}},
                    .rule =
                        "what is prepared reads its arguments only, because it might assign what "
                        "it captured",
                    .fix = "pass the tensor as an argument, list it in a module, or promise with "
                           "assume_pure(f) that it never changes",
                    .where = where(),
                    .see = "open-callables"});
}

SINTER_INLINE void Run::prepare(const guard::Leaves& after, const LeafNames& names_after) {
  end_sizes();
  const RecorderScope outside(nullptr);
  start_created_state();
  const Positions outputs = held();
  std::vector<NewValue> updates = new_values(after, names_after);
  if (!recorder().effects().empty()) updates.clear();
  if (!outputs.empty()) report_.segments.push_back(segment_for(outputs, updates));
  report_.symbols = hints();
  recorder().take_effects();
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
